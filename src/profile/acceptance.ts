/** Whether the coordinator may believe a result: every condition of section 6, each with its own reason. */
import { artifactDigest } from './artifacts.js';
import { jcs } from './canonical.js';
import { type EnvelopeRefusal, openEnvelope, type ResultKey } from './envelope.js';
import { canonicalStatus, NotAnEvent } from './event-form.js';
import type { Digest, ResultEnvelope, Task } from './model.js';
import { KEY } from './names.js';
import { coreState } from './outcome.js';

export type Refusal =
  | EnvelopeRefusal
  | 'NO_RESULT'
  | 'MALFORMED_TASK'
  | 'WRONG_REQUEST'
  | 'WRONG_REQUEST_DIGEST'
  | 'WRONG_TASK'
  | 'WRONG_TURN'
  | 'WRONG_EXECUTOR'
  | 'WRONG_CALLER'
  | 'CAPABILITIES_WIDENED'
  | 'STATUS_MISMATCH'
  | 'TERMINAL_MISMATCH'
  | 'COPIES_DIFFER'
  | 'ARTIFACTS_DIFFER'
  | 'ARTIFACT_DIGEST_MISMATCH'
  | 'OWNER_MISMATCH';

/** What the coordinator itself knows of the delegation. */
export interface Expectation {
  requestId: string;
  requestDigest: Digest;
  taskId: string;
  turnId: string;
  executor: string;
  caller: string;
  requested: readonly string[];
}

/** What was received, as JSON: the Task, and the terminal event where it was seen. */
export interface Received {
  task: Task;
  /** The `sequence` that the Task, or the terminal event, says it is at. */
  lastSequence: number;
  terminal?: { statusUpdate: { status: unknown; metadata?: Record<string, unknown> } };
}

export function acceptResult(
  received: Received,
  expected: Expectation,
  find: (kid: string) => ResultKey | undefined,
): { envelope: ResultEnvelope } | { refused: Refusal } {
  const raw = received.task.metadata?.[KEY.result];
  if (raw === undefined) return { refused: 'NO_RESULT' };
  const opened = openEnvelope(raw, find);
  if ('refused' in opened) return opened;
  const { envelope } = opened;
  const refused = identityRefusal(envelope, expected) ?? taskRefusal(envelope, received, expected);
  return refused === undefined ? { envelope } : { refused };
}

/** What the Task holds is a peer's JSON: a part of it that no event could have is a refusal, never an exception. */
function taskRefusal(
  envelope: ResultEnvelope,
  received: Received,
  expected: Expectation,
): Refusal | undefined {
  try {
    return terminalRefusal(envelope, received) ?? artifactRefusal(envelope, received, expected);
  } catch (error) {
    if (error instanceof NotAnEvent || error instanceof TypeError) return 'MALFORMED_TASK';
    throw error;
  }
}

function identityRefusal(envelope: ResultEnvelope, expected: Expectation): Refusal | undefined {
  if (envelope.request_id !== expected.requestId) return 'WRONG_REQUEST';
  if (envelope.request_digest !== expected.requestDigest) return 'WRONG_REQUEST_DIGEST';
  if (envelope.task_id !== expected.taskId) return 'WRONG_TASK';
  if (envelope.turn_id !== expected.turnId) return 'WRONG_TURN';
  if (envelope.executed_by !== expected.executor) return 'WRONG_EXECUTOR';
  if (envelope.caller !== expected.caller) return 'WRONG_CALLER';
  const widened = envelope.effective_capabilities.some(
    (capability) => !expected.requested.includes(capability),
  );
  return widened ? 'CAPABILITIES_WIDENED' : undefined;
}

function terminalRefusal(
  envelope: ResultEnvelope,
  { task, lastSequence, terminal }: Received,
): Refusal | undefined {
  if (task.id !== envelope.task_id) return 'WRONG_TASK';
  if (task.status.state !== coreState(envelope.status)) return 'STATUS_MISMATCH';
  if (envelope.event_log.last_sequence !== lastSequence) return 'TERMINAL_MISMATCH';
  const statuses = terminal === undefined ? [task.status] : [task.status, terminal.statusUpdate.status];
  for (const raw of statuses) {
    const status = canonicalStatus(raw);
    const said = status.message?.parts;
    const summary = said === undefined ? '' : said.length === 1 ? said[0]?.text : undefined;
    if (status.state !== task.status.state) return 'STATUS_MISMATCH';
    if (status.timestamp !== envelope.signed_at || summary !== envelope.summary) return 'TERMINAL_MISMATCH';
  }
  if (terminal !== undefined) {
    const copy = terminal.statusUpdate.metadata?.[KEY.result];
    // Every member of it: one that was altered on its way may still name the digest of the other.
    if (copy === undefined || jcs(copy) !== jcs(envelope)) return 'COPIES_DIFFER';
  }
  return undefined;
}

function artifactRefusal(
  envelope: ResultEnvelope,
  { task }: Received,
  expected: Expectation,
): Refusal | undefined {
  const listed = new Map(envelope.artifacts.map((artifact) => [artifact.artifact_id, artifact]));
  const present = task.artifacts ?? [];
  // Three counts: an id that is twice in one of them would hide one that is missing.
  const ids = new Set(present.map(({ artifactId }) => artifactId));
  if (ids.size !== present.length || ids.size !== listed.size || listed.size !== envelope.artifacts.length)
    return 'ARTIFACTS_DIFFER';
  for (const artifact of present) {
    const entry = listed.get(artifact.artifactId);
    if (entry === undefined) return 'ARTIFACTS_DIFFER';
    if (entry.digest !== artifactDigest(artifact)) return 'ARTIFACT_DIGEST_MISMATCH';
    if (entry.owner !== expected.executor || artifact.metadata?.[KEY.owner] !== expected.executor)
      return 'OWNER_MISMATCH';
  }
  return undefined;
}
