/**
 * The shapes that cross a wire or a port, as JSON (ProtoJSON for A2A objects: lowerCamelCase, enum names).
 * Types only; validation is beside each shape's own module.
 */

/** `sha256:` + 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_REJECTED';

/** The profile's lifecycle (O-143); `expired` and `unknown` are core FAILED plus the outcome in the envelope (D-8). */
export type Outcome = 'completed' | 'failed' | 'cancelled' | 'expired' | 'unknown' | 'rejected';

export type Metadata = Record<string, unknown>;

/** Exactly one of text, raw, url, data is present. `raw` is padded standard base64. */
export interface Part {
  text?: string;
  raw?: string;
  url?: string;
  data?: unknown;
  mediaType?: string;
  filename?: string;
  metadata?: Metadata;
}

export interface Message {
  messageId: string;
  contextId?: string;
  taskId?: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
  referenceTaskIds?: string[];
}

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  /** `YYYY-MM-DDThh:mm:ss.sssZ` */
  timestamp: string;
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
}

export interface StatusUpdate {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: Metadata;
}

export interface ArtifactUpdate {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append?: boolean;
  lastChunk?: boolean;
  metadata?: Metadata;
}

/** B_n of profile section 4: what the journal holds for one sequence; never `task` or `message`. */
export type EventBody = { statusUpdate: StatusUpdate } | { artifactUpdate: ArtifactUpdate };

export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: Metadata;
}

/** `metadata[EXT/event]`: on an event its own place; on a Task what the Task includes, and then `head`. */
export interface EventPosition {
  turn_id: string;
  sequence: number;
  cursor: string;
  head?: Digest;
  /** On event 1, and on Tasks: neither is in the chain; the envelope decides. */
  effective_capabilities?: string[];
  /** RFC 3339 UTC, ms. */
  deadline_at?: string;
}

/** `metadata[EXT/events]` on a Task that answers GetTask with `OAB-Cursor`. */
export interface EventPage {
  events: { sequence: number; cursor: string; event: EventBody }[];
  /** `""` at the end of the log. */
  next: string;
  /** false means only that events were trimmed. */
  complete: boolean;
  floor?: { sequence: number; head: Digest };
}

/** `metadata[EXT/request]` plus, on A2A bindings, the text part as `task` (profile section 3). */
export interface DelegationRequest {
  protocol_version: 1;
  request_id: string;
  idempotency_key?: string;
  nonce: string;
  issued_at: string;
  target_peer: string;
  task: string;
  task_path?: string;
  capabilities: string[];
  deadline_ms: number;
  budget: { max_output_bytes: number; max_runtime_ms?: number };
  delegation_depth: number;
  context_policy?: 'none';
}

export interface SideEffect {
  kind: string;
  tool_call_id?: string;
  target?: string;
  evidence: 'observed' | 'denied' | 'unverified';
}

export interface ResultArtifact {
  artifact_id: string;
  owner: string;
  digest: Digest;
  derived_from?: { task_id: string; artifact_id: string; digest: Digest };
}

export interface ResultError {
  code: string;
  message: string;
}

/** `metadata[EXT/result]`: profile section 6, 17 required members. */
export interface ResultEnvelope {
  protocol_version: 1;
  request_id: string;
  task_id: string;
  turn_id: string;
  status: Outcome;
  summary: string;
  error: ResultError | null;
  executed_by: string;
  caller: string;
  effective_capabilities: string[];
  request_digest: Digest;
  result_digest: Digest;
  artifacts: ResultArtifact[];
  side_effects: SideEffect[];
  event_log: { last_sequence: number; head: Digest };
  signed_at: string;
  cancel_requested_at?: string;
  attestation: { algorithm: 'ed25519'; key_id: string; protected: string; signature: string };
}

/** `params` of the extension on the card (profile section 2). */
export interface CardParams {
  maxDepth: 1;
  cursor: { serviceParameter: 'OAB-Cursor'; retentionSeconds: number };
  idempotency: { windowSeconds: number };
  heartbeatSeconds: number;
  stopGraceMs: number;
  revocationSeconds: number;
  limits: {
    maxTaskBytes: number;
    maxDeadlineMs: number;
    maxOutputBytes: number;
    maxEvents: number;
    maxEventBytes: number;
    maxFrameBytes: number;
  };
  capabilities: string[];
  results: { algorithm: string; canonicalization: 'RFC8785'; jwks: { keys: Record<string, unknown>[] } };
}
