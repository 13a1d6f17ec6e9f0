/** Refusals of the kind that no peer answers for: a line in the log for each, and how often each was since the start. */
import type { Log } from '../telemetry/log.js';

export interface Refusals {
  count(refusal: string): void;
  counts(): Record<string, number>;
}

export function countRefusals(log: Pick<Log, 'warn'>): Refusals {
  const counts: Record<string, number> = {};
  return {
    count(refusal) {
      const times = (counts[refusal] ?? 0) + 1;
      counts[refusal] = times;
      log.warn({ refusal, times }, 'refused');
    },
    counts: () => ({ ...counts }),
  };
}
