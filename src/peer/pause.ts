/** A wait of any length that ends early when a signal aborts, on the monotonic clock. */
import { setTimeout as delay } from 'node:timers/promises';

/** Longer waits would overflow the timer and end at once. */
const LONGEST = 2 ** 31 - 1;

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + ms;
  for (let left = ms; left > 0 && !signal.aborted; left = end - performance.now()) {
    await delay(Math.min(left, LONGEST), undefined, { signal }).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
  }
}
