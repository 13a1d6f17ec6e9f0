/** Writes that outlast a store which is gone for a while (section 5: 10 s, then the turn is stopped). */
import { StoreUnavailable } from '../journal/journal.js';
import type { Clock } from './parts.js';

const FLOOR = 50;
const CEILING = 2000;

export interface Patience {
  /** Give up after this time; never, when undefined. */
  limitMs?: number;
  /** Give up when it says so. */
  stopped?: () => boolean;
  /** Whether it is worth trying again; by default only a store that is unavailable is. */
  again?: (error: unknown) => boolean;
}

/**
 * Tries a write until it is durable; rejects with the last error when its patience ends, also of a write that does not
 * come back: that one may still become durable later.
 */
export async function untilDurable<T>(
  clock: Clock,
  write: () => Promise<T>,
  {
    limitMs = Number.POSITIVE_INFINITY,
    stopped,
    again = (error) => error instanceof StoreUnavailable,
  }: Patience = {},
): Promise<T> {
  const started = clock.now();
  for (let wait = FLOOR; ; wait = Math.min(CEILING, wait * 2)) {
    const left = () => started + limitMs - clock.now();
    try {
      return await within(clock, left(), write());
    } catch (error) {
      if (!again(error) || left() <= 0 || stopped?.() === true) throw error;
      // The last attempt falls on the limit itself: a store that is back in time is found back.
      await new Promise<void>((resolve) => clock.after(Math.min(wait, left()), resolve));
    }
  }
}

async function within<T>(clock: Clock, ms: number, written: Promise<T>): Promise<T> {
  if (ms === Number.POSITIVE_INFINITY) return written;
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(ms, () => reject(new StoreUnavailable('the store did not answer in time')));
  });
  try {
    return await Promise.race([written, late]);
  } finally {
    cancel();
  }
}
