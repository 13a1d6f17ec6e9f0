/** Writes that outlast a store which is gone for a while (section 5: 10 s, then the turn is stopped). */
import { StoreUnavailable } from '../journal/journal.js';
import type { Clock } from './parts.js';

const FLOOR = 50;
const CEILING = 2000;

/**
 * Tries a write until it is durable. Rejects with StoreUnavailable after `limitMs` (never, when undefined) or when
 * `stopped` says so; any other error at once.
 */
export async function untilDurable<T>(
  clock: Clock,
  write: () => Promise<T>,
  options: { limitMs?: number; stopped?: () => boolean } = {},
): Promise<T> {
  const started = clock.now();
  for (let wait = FLOOR; ; wait = Math.min(CEILING, wait * 2)) {
    try {
      return await write();
    } catch (error) {
      const late = options.limitMs !== undefined && clock.now() - started + wait > options.limitMs;
      if (!(error instanceof StoreUnavailable) || late || options.stopped?.() === true) throw error;
      await new Promise<void>((resolve) => clock.after(wait, resolve));
    }
  }
}
