/** The clock of the machine. */
import type { Clock } from './parts.js';

/** Longer waits would overflow the timer and fire at once. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      const step = Math.min(Math.max(0, left), LONGEST);
      timer = setTimeout(() => (left > step ? wait(left - step) : callback()), step);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
