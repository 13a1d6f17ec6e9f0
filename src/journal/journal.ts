/**
 * The durable truth of one executor. Every promise resolves only after the commit is on disk
 * (profile section 4: durable before visible). One writer assigns sequences; readers see commits only.
 * Times are milliseconds since the epoch.
 */
import type { Digest, Outcome, TaskState } from '../profile/model.js';
import type { StopCause } from '../profile/outcome.js';

export interface TaskRow {
  taskId: string;
  contextId: string;
  turnId: string;
  caller: string;
  requestId: string;
  requestDigest: Digest;
  /** The request as JCS text, without nonce; what the runner needs to run and what an operator may read. */
  request: string;
  effective: string[];
  acceptedAt: number;
  deadlineAt: number;
  state: TaskState;
  /** Highest sequence, and the chain head after it. */
  sequence: number;
  head: Digest;
  dispatchedAt?: number;
  cancelRequestedAt?: number;
  stopCause?: StopCause;
  /** The agent's process group, journalled so that a restart can kill an orphan. */
  process?: { pgid: number; startTime: string };
  outcome?: Outcome;
  terminalAt?: number;
  /** The last trimmed event. */
  floor?: { sequence: number; head: Digest };
}

/** One event to append. `body` is the JCS text of B_n without any EXT key: exactly what the chain hashes. */
export interface EventDraft {
  body: string;
  /** JSON text of an object of further EXT keys for the wire (`EXT/cancel`, `EXT/result`), or absent. */
  meta?: string;
  /** The core state after this event. */
  state: TaskState;
}

export interface StoredEvent {
  sequence: number;
  cursor: string;
  body: string;
  meta?: string;
}

/** What a row of the audit is about. */
export const AUDIT_KINDS = [
  'admitted',
  'duplicate',
  'refused',
  'rejected',
  'permission',
  'cancel',
  'terminal',
  'key',
  'start',
  'stop',
] as const;

export interface AuditDraft {
  kind: (typeof AUDIT_KINDS)[number];
  at: number;
  peer?: string;
  taskId?: string;
  /** Ids and digests only; never task text, tokens or output. */
  detail: Record<string, unknown>;
}

/** An audit row in its own hash chain. */
export interface AuditRow extends AuditDraft {
  index: number;
  head: Digest;
}

export interface Admission {
  /** state, sequence and head are assigned by the events. */
  task: Omit<TaskRow, 'state' | 'sequence' | 'head'>;
  nonce: string;
  /** One SUBMITTED; or SUBMITTED and REJECTED for a policy refusal. */
  events: EventDraft[];
  audit: AuditDraft;
  /** For a rejected task: how many the caller may have durable; beyond it `quota`, nothing written. */
  rejectedQuota?: number;
}

export type Admitted =
  | { kind: 'admitted'; task: TaskRow }
  | { kind: 'duplicate'; task: TaskRow }
  | { kind: 'conflict' }
  | { kind: 'nonce_reused' }
  | { kind: 'quota' };

export interface Append {
  events: EventDraft[];
  /** Optimistic guard: append only if the task's last sequence is this one. */
  expect?: number;
  /** Columns to set in the same transaction. `stopCause`, `cancelRequestedAt`, `dispatchedAt` keep their first value. */
  set?: Partial<
    Pick<TaskRow, 'dispatchedAt' | 'cancelRequestedAt' | 'stopCause' | 'process' | 'outcome' | 'terminalAt'>
  >;
  audit?: AuditDraft;
}

/** `moved`: `expect` did not hold. `terminal`: the task already has its terminal event (first terminal wins). */
export type Appended = { kind: 'appended' | 'moved' | 'terminal'; task: TaskRow };

export interface EventSlice {
  task: TaskRow;
  events: StoredEvent[];
  /** true when the slice reaches the task's last sequence. */
  atEnd: boolean;
}

export interface TaskQuery {
  caller: string;
  state?: TaskState;
  contextId?: string;
  /** Status timestamp at or after, ms. */
  since?: number;
  limit: number;
  /** Opaque; from the previous page. */
  after?: string;
}

export interface Journal {
  /** One transaction: task, reservation, nonce, audit row, events. Its unique constraints decide. */
  admit(admission: Admission): Promise<Admitted>;
  /** Fast path before admit; same answer as the transaction would give, or undefined when nothing is reserved. */
  reserved(caller: string, requestId: string, digest: Digest, nonce: string): Admitted | undefined;
  append(taskId: string, append: Append): Promise<Appended>;
  task(taskId: string): TaskRow | undefined;
  /** One read transaction: the row and the events with sequence > after, at most `limit` events and `bytes` of body (at least one). */
  read(taskId: string, after: number, limit: number, bytes?: number): EventSlice | undefined;
  list(query: TaskQuery): { tasks: TaskRow[]; next: string; total: number };
  /** Tasks without a terminal event, for recovery at start. */
  open(): TaskRow[];
  /** Resolves when the task has an event after `after`, or when the signal aborts (never rejects). */
  wake(taskId: string, after: number, signal: AbortSignal): Promise<void>;
  /** The opaque cursor of a position of this task; `"0"` for 0. */
  cursor(taskId: string, sequence: number): string;
  /** The position that a cursor names, or undefined if this task did not issue it. */
  position(taskId: string, cursor: string): number | undefined;
  /**
   * Drops events of tasks that ended before `endedBefore`, except the terminal one, and whole tasks with their
   * reservation that ended before `purgedBefore` (D-12). Returns how many tasks were trimmed.
   */
  trim(endedBefore: number, purgedBefore: number): Promise<number>;
  /** `again`: an earlier try of the same draft may stand already, its acknowledgement lost; then it stands once. */
  audit(draft: AuditDraft, again?: boolean): Promise<AuditRow>;
  audits(after: number, limit: number): AuditRow[];
  /** Resolves true while the store takes writes (a real write is tried). */
  healthy(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Thrown by every write that the store could not make durable, and by every read that it could not answer. Whoever asks
 * again when the store is back is served by the same journal: it opens its connections anew by itself.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
