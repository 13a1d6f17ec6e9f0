/** The clock of the machine. */
import type { Clock } from './parts.js';

/** Longer waits would overflow the timer and fire at once. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), LONGEST));
    return () => clearTimeout(timer);
  },
};
