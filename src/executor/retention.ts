/** The executor's housekeeping on its own clock: trims what has ended long enough ago (O-41, D-12). */
import type { ExecutorConfig } from './config.js';
import type { ExecutorParts } from './parts.js';

const LEAST_PERIOD = 1000;
const LONGEST_PERIOD = 60_000;

/** Starts trimming; `before` goes first in each round. The result stops it. */
export function scheduleRetention(
  parts: ExecutorParts,
  config: ExecutorConfig,
  before: () => Promise<void>,
): () => void {
  const { journal, clock, log } = parts;
  const period = Math.min(LONGEST_PERIOD, Math.max(LEAST_PERIOD, config.retentionMs / 10));
  // The terminal event, the envelope and the reservation outlive the other events, and at least the window.
  const kept = Math.max(config.retentionMs * 2, config.windowMs);
  let stopped = false;
  let cancel = () => {};
  const round = async () => {
    const now = clock.now();
    try {
      await before();
      const trimmed = await journal.trim(now - config.retentionMs, now - kept);
      if (trimmed > 0) log.info({ trimmed }, 'trimmed the events of ended tasks');
    } catch (error) {
      log.warn({ err: error }, 'housekeeping was put off');
    }
    if (!stopped) cancel = clock.after(period, () => void round());
  };
  cancel = clock.after(period, () => void round());
  return () => {
    stopped = true;
    cancel();
  };
}
