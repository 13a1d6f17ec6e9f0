/**
 * The port between the coordinator and one remote executor; one implementation per binding.
 * Objects are the JSON as received, shape-checked but not re-encoded: the chain is verified over what came (profile section 4).
 */
import type {
  CardParams,
  DelegationRequest,
  Digest,
  EventBody,
  EventPage,
  EventPosition,
  ResultEnvelope,
  Task,
} from '../profile/model.js';

export interface PeerDescription {
  /** What the peer says of itself: its card, or on OAB its description. */
  card: Record<string, unknown>;
  params: CardParams;
  /** The interface that this connection speaks to. */
  url: string;
}

export interface RemoteTask {
  task: Task;
  /** Absent: the profile was not activated. */
  position?: EventPosition;
  page?: EventPage;
  result?: ResultEnvelope;
}

export type RemoteFrame =
  | { task: RemoteTask }
  | { event: EventBody; position: EventPosition }
  /** Events up to here were trimmed: the explicit gap of a stream that begins at a cursor (D-12). */
  | { floor: { sequence: number; head: Digest } };

export interface CallOptions {
  signal: AbortSignal;
}

export interface ObserveOptions extends CallOptions {
  /** Where the reader stands; at the beginning by default. */
  from?: { cursor: string; sequence: number };
}

export interface PeerConnection {
  /** Fetches and checks the card; throws NotNegotiated when EXT is absent, before anything else is ever sent. */
  describe(options: CallOptions): Promise<PeerDescription>;
  /** The same `request` gives a byte-identical message on every call. */
  create(request: DelegationRequest, options: CallOptions): Promise<RemoteTask>;
  get(taskId: string, cursor: string | undefined, options: CallOptions): Promise<RemoteTask>;
  /**
   * On A2A first a task frame, then events, wherever the reader stands; on OAB every event behind its place. Any end
   * without a terminal event is a disconnect.
   */
  observe(taskId: string, options: ObserveOptions): AsyncIterable<RemoteFrame>;
  cancel(taskId: string, options: CallOptions): Promise<RemoteTask>;
  close(): Promise<void>;
}

/** The peer answered with an error. `transient`: SATURATED, DRAINING, STORE_UNAVAILABLE, never an outcome. */
export class PeerRefusal extends Error {
  override name = 'PeerRefusal';
  constructor(
    /** `oabReason`, or the A2A reason (TASK_NOT_FOUND, UNSUPPORTED_OPERATION, TASK_NOT_CANCELABLE), or UNAUTHENTICATED. */
    readonly reason: string,
    readonly code: number,
    readonly transient: boolean,
    readonly retryAfterMs?: number,
  ) {
    super(`the peer refused: ${reason} (${code})`);
  }
}

/** Nothing can be concluded: connection refused, reset, cut, silent beyond 2.5 heartbeats, or bytes that are no answer. */
export class PeerUnreachable extends Error {
  override name = 'PeerUnreachable';
}

/** The card lacks EXT, or an answer shows that the profile is not active. */
export class NotNegotiated extends Error {
  override name = 'NotNegotiated';
  constructor(
    message: string,
    /** The task that the answer spoke of: one that runs outside the profile is asked to stop (section 2). */
    readonly taskId?: string,
  ) {
    super(message);
  }
}
