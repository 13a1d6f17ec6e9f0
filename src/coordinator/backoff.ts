/** Waits that grow by doubling from a floor to a ceiling, with jitter, and start anew after progress. */
import type { CoordinatorParts } from './parts.js';

export class Backoff {
  readonly #floor: number;
  readonly #ceiling: number;
  readonly #parts: Pick<CoordinatorParts, 'pause' | 'random'>;
  #step: number;

  constructor(
    { floorMs, ceilingMs }: { floorMs: number; ceilingMs: number },
    parts: Pick<CoordinatorParts, 'pause' | 'random'>,
  ) {
    this.#floor = floorMs;
    this.#ceiling = ceilingMs;
    this.#parts = parts;
    this.#step = floorMs;
  }

  reset(): void {
    this.#step = this.#floor;
  }

  /** Between half a step and a whole one, at least `leastMs` (a peer's Retry-After). */
  async wait(signal: AbortSignal, leastMs = 0): Promise<void> {
    const wait = Math.max(leastMs, this.#step * (0.5 + this.#parts.random() / 2));
    this.#step = Math.min(this.#ceiling, this.#step * 2);
    await this.#parts.pause(wait, signal);
  }
}
