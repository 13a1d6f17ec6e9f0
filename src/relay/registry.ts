/** Which tunnel leads to a route now. A tunnel that was replaced cannot take its successor with it. */
import { REPLACED } from './protocols.js';
import { CLOSE, type Tunnel } from './tunnel.js';

export class Registry {
  readonly #current = new Map<string, Tunnel>();
  readonly #all = new Set<Tunnel>();

  get size(): number {
    return this.#all.size;
  }

  /** The newest one takes the route; its predecessor finishes what is under way (make before break). */
  register(tunnel: Tunnel): void {
    const former = this.#current.get(tunnel.route);
    this.#current.set(tunnel.route, tunnel);
    this.#all.add(tunnel);
    former?.retire(CLOSE.replaced, String(REPLACED));
    void tunnel.closed.then(() => this.#unregister(tunnel));
  }

  /** Compare and delete by generation: the late end of a replaced tunnel touches nothing but itself. */
  #unregister(tunnel: Tunnel): void {
    this.#all.delete(tunnel);
    if (this.#current.get(tunnel.route)?.generation === tunnel.generation) this.#current.delete(tunnel.route);
  }

  find(route: string): Tunnel | undefined {
    const tunnel = this.#current.get(route);
    return tunnel?.usable === true ? tunnel : undefined;
  }

  all(): Iterable<Tunnel> {
    return this.#all;
  }
}
