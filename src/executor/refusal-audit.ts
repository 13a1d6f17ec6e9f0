/** One audit row for each refusal before admission; from callers nobody knows, one per source and minute (section 3). */
import type { Journal } from '../journal/journal.js';
import type { Log } from '../telemetry/log.js';
import type { Clock } from './parts.js';

const MINUTE = 60_000;
/** Sources remembered at once; beyond it the oldest minute is forgotten. */
const MAX_SOURCES = 10_000;

export interface Refused {
  reason: string;
  peer?: string;
  source: string;
  detail?: Record<string, unknown>;
}

export function createRefusalAudit(journal: Journal, clock: Clock, log: Log): (refused: Refused) => void {
  const seen = new Map<string, number>();
  return ({ reason, peer, source, detail = {} }) => {
    const now = clock.now();
    if (peer === undefined) {
      const last = seen.get(source);
      if (last !== undefined && now - last < MINUTE) return;
      seen.delete(source);
      seen.set(source, now);
      if (seen.size > MAX_SOURCES) seen.delete(seen.keys().next().value ?? '');
    }
    const row = {
      kind: 'refused',
      at: now,
      detail: { reason, source, ...detail },
      ...(peer === undefined ? {} : { peer }),
    };
    // The refusal stands whether or not it can be recorded; a store that is down shows in health and log.
    journal.audit(row).catch((error: Error) => log.error({ err: error }, 'a refusal was not audited'));
  };
}
