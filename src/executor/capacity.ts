/** Running slots, in all and per caller: taken at once or refused at once, and given back exactly once (O-106, D-14). */
export class Capacity {
  readonly #limit: number;
  readonly #perPeer: ReadonlyMap<string, number>;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limit: number, peers: readonly { peer: string; maxRunning: number }[]) {
    this.#limit = limit;
    this.#perPeer = new Map(peers.map(({ peer, maxRunning }) => [peer, maxRunning]));
  }

  /** The release of a slot, which may be called any number of times; undefined when there is none. */
  take(peer: string): (() => void) | undefined {
    const own = this.#running.get(peer) ?? 0;
    if (this.#total >= this.#limit || own >= (this.#perPeer.get(peer) ?? 0)) return undefined;
    this.#total += 1;
    this.#running.set(peer, own + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#total -= 1;
      this.#running.set(peer, (this.#running.get(peer) ?? 1) - 1);
    };
  }

  /**
   * So few slots are left, of all or of the caller's, that whatever may turn out to need none should not take one even
   * for a moment: the last quarter, and always the last one.
   */
  scarce(peer: string): boolean {
    const few = (limit: number, taken: number) => limit - taken <= Math.max(1, limit / 4);
    return few(this.#limit, this.#total) || few(this.#perPeer.get(peer) ?? 0, this.#running.get(peer) ?? 0);
  }

  get total(): number {
    return this.#total;
  }
}
