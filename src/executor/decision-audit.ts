/**
 * The audit of what did not become a task: one row per refusal and duplicate, so that it can be read (PRF-16); beyond
 * a caller's share they are counted, and one row a minute says how many, so that it cannot be filled (PRF-17). From
 * callers nobody knows there is one row per source and minute (profile section 3).
 */
import type { AuditDraft, Journal } from '../journal/journal.js';
import type { Log } from '../telemetry/log.js';
import type { Clock } from './parts.js';
import { TokenBuckets } from './token-bucket.js';

const MINUTE = 60_000;
/** Sources remembered at once; beyond it the oldest minute is forgotten. */
const MAX_SOURCES = 10_000;
const SHARE_SECONDS = 3600;

export interface Refused {
  reason: string;
  peer?: string;
  source: string;
  detail?: Record<string, unknown>;
}

export class DecisionAudit {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #share: TokenBuckets;
  readonly #seen = new Map<string, number>();
  readonly #counted = new Map<string, Record<string, number>>();
  #stopTimer: (() => void) | undefined;

  /** `share`: rows per caller and hour. */
  constructor(journal: Journal, clock: Clock, log: Log, share: number) {
    this.#journal = journal;
    this.#clock = clock;
    this.#log = log;
    this.#share = new TokenBuckets(share / SHARE_SECONDS, share);
  }

  /** Resolves when the row is durable, or counted; rejects with StoreUnavailable. */
  async record(draft: AuditDraft & { peer: string }): Promise<void> {
    if (this.#share.take(draft.peer, draft.at) === 0) await this.#journal.audit(draft);
    else this.#count(draft);
  }

  /** The same for a refusal, which stands whether or not it can be recorded. */
  refused({ reason, peer, source, detail = {} }: Refused): void {
    const at = this.#clock.now();
    const row: AuditDraft = { kind: 'refused', at, detail: { reason, source, ...detail } };
    if (peer === undefined && !this.#isNew(source, at)) return;
    const written = peer === undefined ? this.#journal.audit(row) : this.record({ ...row, peer });
    // A store that is down shows in health and log.
    written.catch((error: Error) => this.#log.error({ err: error }, 'a refusal was not audited'));
  }

  /** Writes what was only counted so far. */
  async flush(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const [peer, counts] of [...this.#counted]) {
      this.#counted.delete(peer);
      try {
        const detail = { reason: 'COUNTED', counts };
        await this.#journal.audit({ kind: 'refused', at: this.#clock.now(), peer, detail });
      } catch (error) {
        this.#log.error({ err: error, peer, counts }, 'counted refusals were not audited');
      }
    }
  }

  #count({ kind, peer, detail }: AuditDraft & { peer: string }): void {
    const counts = this.#counted.get(peer) ?? {};
    const what = typeof detail.reason === 'string' ? `${kind} ${detail.reason}` : kind;
    counts[what] = (counts[what] ?? 0) + 1;
    this.#counted.set(peer, counts);
    this.#stopTimer ??= this.#clock.after(MINUTE, () => void this.flush());
  }

  #isNew(source: string, now: number): boolean {
    const last = this.#seen.get(source);
    if (last !== undefined && now - last < MINUTE) return false;
    this.#seen.delete(source);
    this.#seen.set(source, now);
    if (this.#seen.size > MAX_SOURCES) this.#seen.delete(this.#seen.keys().next().value ?? '');
    return true;
  }
}
