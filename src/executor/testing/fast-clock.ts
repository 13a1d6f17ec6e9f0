/** A clock on which time passes many times faster, so that a wait of seconds is one of milliseconds. */
import type { Clock } from '../parts.js';

export function fastClock(times: number): Clock {
  const start = Date.now();
  const origin = performance.now();
  return {
    now: () => start + Math.floor((performance.now() - origin) * times),
    after(ms, callback) {
      const timer = setTimeout(callback, Math.max(0, ms) / times);
      return () => clearTimeout(timer);
    },
  };
}
