/** One stream of items: no more than its reader gave credit for, and nothing read ahead of it. */
import { FIRST_CREDITS, MAX_CREDITS } from './names.js';

/** Where the items of one stream go. */
export interface ItemSink {
  /** One system call; resolves when the connection has taken them, or is gone. */
  send(items: readonly string[]): Promise<void>;
}

/** What a reader still wants. */
export class Credits {
  #left = FIRST_CREDITS;
  #wake: (() => void) | undefined;

  /** false: more than anybody could mean. */
  add(events: number): boolean {
    if (this.#left + events > MAX_CREDITS) return false;
    this.#left += events;
    this.#wake?.();
    return true;
  }

  /** Takes up to `most`, at least one; waits while there is none. 0 when the signal aborts. */
  async take(most: number, signal: AbortSignal): Promise<number> {
    while (this.#left === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener('abort', wake);
      });
    }
    if (signal.aborted) return 0;
    const taken = Math.min(most, this.#left);
    this.#left -= taken;
    return taken;
  }
}

/** Resolves when the source has ended, or the signal aborts. */
export async function sendItems(
  sink: ItemSink,
  batches: AsyncIterable<readonly string[]>,
  credits: Credits,
  signal: AbortSignal,
): Promise<void> {
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; ) {
      const count = await credits.take(batch.length - at, signal);
      if (count === 0) return;
      await sink.send(batch.slice(at, at + count));
      at += count;
    }
    if (signal.aborted) return;
  }
}
