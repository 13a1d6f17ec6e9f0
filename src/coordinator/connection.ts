/**
 * The port between the coordinator and one remote executor; one implementation per binding.
 * Objects are the JSON as received, shape-checked but not re-encoded: the chain is verified over what came (profile section 4).
 */
import type {
  CardParams,
  DelegationRequest,
  EventBody,
  EventPage,
  EventPosition,
  ResultEnvelope,
  Task,
} from '../profile/model.js';

export interface PeerDescription {
  card: Record<string, unknown>;
  params: CardParams;
  /** The interface chosen from the card for this connection's binding. */
  url: string;
}

export interface RemoteTask {
  task: Task;
  /** Absent: the profile was not activated. */
  position?: EventPosition;
  page?: EventPage;
  result?: ResultEnvelope;
}

export type RemoteFrame = { task: RemoteTask } | { event: EventBody; position: EventPosition };

export interface CallOptions {
  signal: AbortSignal;
}

export interface PeerConnection {
  /** Fetches and checks the card; throws NotNegotiated when EXT is absent, before anything else is ever sent. */
  describe(options: CallOptions): Promise<PeerDescription>;
  /** The same `request` gives a byte-identical message on every call. */
  create(request: DelegationRequest, options: CallOptions): Promise<RemoteTask>;
  get(taskId: string, cursor: string | undefined, options: CallOptions): Promise<RemoteTask>;
  /** First a task frame, then events; returns on any end. An end without a terminal event is a disconnect. */
  observe(taskId: string, options: CallOptions): AsyncIterable<RemoteFrame>;
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
