import { Registry } from '../../../relay/registry.js';
import type { Tunnel } from '../../../relay/tunnel.js';
import type { Defect } from '../defect.js';

/** RLY-12: the close of a tunnel takes the route away, whoever has it by then. */
export const lateCloseUnregisters: Defect = {
  id: 'late-close-unregisters',
  breaks: 'a replaced tunnel that ends late unregisters its successor',
  fails: ['RLY-12'],
  bindings: ['WSS'],
  topology: 'dual-outbound',
  relay: (parts) => ({ ...parts, registry: () => new ByRoute() }),
};

class ByRoute extends Registry {
  readonly #gone = new Set<string>();

  override register(tunnel: Tunnel): void {
    super.register(tunnel);
    this.#gone.delete(tunnel.route);
    void tunnel.closed.then(() => this.#gone.add(tunnel.route));
  }

  override find(route: string): Tunnel | undefined {
    return this.#gone.has(route) ? undefined : super.find(route);
  }
}
