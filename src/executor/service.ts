/**
 * What a binding server may ask of the executor. It knows the caller's verified identity and the cursor,
 * nothing of HTTP, JSON-RPC or WebSocket (O-12).
 */
import type { StoredEvent, TaskRow } from '../journal/journal.js';
import type {
  Artifact,
  CardParams,
  DelegationRequest,
  Digest,
  ResultEnvelope,
  TaskState,
  TaskStatus,
} from '../profile/model.js';

/** A verified caller: the peer is configured, the credential checked. */
export interface Caller {
  peer: string;
  via: 'token' | 'mtls';
  /** caller grants ∩ policy A, as bound into the credential. */
  cap: readonly string[];
  /** The request digest that a token is bound to; absent with mTLS alone. */
  req?: string;
  jti?: string;
}

export interface Description {
  peer: string;
  publicUrl: string;
  version: string;
  required: boolean;
  params: CardParams;
}

/** A task as it stands after `row.sequence` events. */
export interface TaskSnapshot {
  row: TaskRow;
  status: TaskStatus;
  artifacts: Artifact[];
  cursor: string;
  result?: ResultEnvelope;
}

export interface TaskPage {
  snapshot: TaskSnapshot;
  /** Present when a cursor was given. */
  page?: {
    events: StoredEvent[];
    next: string;
    complete: boolean;
    floor?: { sequence: number; head: Digest };
  };
}

/** The Task at n, then every later event in order; `events` ends after the terminal event or on abort. */
export interface Observation {
  snapshot: TaskSnapshot;
  /** Batches as they are read from the journal; pull-based, so a slow reader just reads later. */
  events: AsyncIterable<StoredEvent[]>;
}

/** Everything after a cursor, running or terminal; `events` ends after the terminal event or on abort. */
export interface Following {
  snapshot: TaskSnapshot;
  /** The sequence after which `events` begins. */
  after: number;
  /** Present when events after the cursor were trimmed: `events` begins behind it (D-12). */
  floor?: { sequence: number; head: Digest };
  events: AsyncIterable<StoredEvent[]>;
}

export interface TaskListQuery {
  state?: TaskState;
  contextId?: string;
  since?: number;
  limit: number;
  after?: string;
  withArtifacts: boolean;
}

/** Every method throws `ProfileError` (src/profile/errors.ts) for a refusal; anything else is a defect of ours. */
export interface DelegationService {
  describe(): Description;
  /** The per-peer token bucket; before the request is parsed. Throws SATURATED. */
  throttle(caller: Caller): void;
  /** Admission (profile section 3) from the digest on; resolves when durable. A policy refusal is a rejected task, not an error. */
  create(caller: Caller, request: DelegationRequest): Promise<{ snapshot: TaskSnapshot; duplicate: boolean }>;
  get(caller: Caller, taskId: string, cursor?: string): Promise<TaskPage>;
  list(caller: Caller, query: TaskListQuery): Promise<{ tasks: TaskSnapshot[]; next: string; total: number }>;
  /** Throws UNSUPPORTED (A2A UnsupportedOperationError) on a terminal task unless `terminalOk`, as a duplicate create by streaming needs. */
  observe(caller: Caller, taskId: string, signal: AbortSignal, terminalOk?: boolean): Promise<Observation>;
  /** From a cursor through the terminal event. Throws CURSOR_INVALID as `get` does. */
  follow(caller: Caller, taskId: string, cursor: string, signal: AbortSignal): Promise<Following>;
  cancel(caller: Caller, taskId: string): Promise<TaskSnapshot>;
  /** One audit row for a refusal that happened before `create` (malformed, not negotiated, unauthenticated). */
  refused(refusal: { reason: string; peer?: string; source: string; detail?: Record<string, unknown> }): void;
}
