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

/** Tries a write until it is durable; rejects with the last error when its patience ends. */
export async function untilDurable<T>(
  clock: Clock,
  write: () => Promise<T>,
  { limitMs, stopped, again = (error) => error instanceof StoreUnavailable }: Patience = {},
): Promise<T> {
  const started = clock.now();
  for (let wait = FLOOR; ; wait = Math.min(CEILING, wait * 2)) {
    try {
      return await write();
    } catch (error) {
      const late = limitMs !== undefined && clock.now() - started + wait > limitMs;
      if (!again(error) || late || stopped?.() === true) throw error;
      await new Promise<void>((resolve) => clock.after(wait, resolve));
    }
  }
}
