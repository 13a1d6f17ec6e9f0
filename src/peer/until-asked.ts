/** Resolves when somebody asks this process to end. */
import type { Log } from '../telemetry/log.js';

export function untilAsked(log: Log): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        log.info({ signal }, 'asked to end');
        resolve();
      });
    }
  });
}
