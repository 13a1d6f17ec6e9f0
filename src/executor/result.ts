/** The result envelope of one task, from what the journal and the runner know; never from the agent's words alone. */
import type { TaskRow } from '../journal/journal.js';
import { artifactDigest } from '../profile/artifacts.js';
import { nextHead } from '../profile/chain.js';
import { MAX_SIDE_EFFECTS, type UnsignedEnvelope } from '../profile/envelope.js';
import { type ResultErrorCode, resultError } from '../profile/errors.js';
import type { Artifact, Digest, Outcome, SideEffect } from '../profile/model.js';
import { instant } from './drafts.js';

export interface Ending {
  outcome: Outcome;
  error: ResultErrorCode | undefined;
  summary: string;
  artifacts: readonly Artifact[];
  sideEffects: readonly SideEffect[];
  signedAt: number;
}

/** `last` is where the log ends with the terminal event: its sequence and the head after its body. */
export function buildEnvelope(
  executor: string,
  row: Pick<
    TaskRow,
    'requestId' | 'taskId' | 'turnId' | 'caller' | 'effective' | 'requestDigest' | 'cancelRequestedAt'
  >,
  ending: Ending,
  last: { sequence: number; head: Digest },
): UnsignedEnvelope {
  return {
    protocol_version: 1,
    request_id: row.requestId,
    task_id: row.taskId,
    turn_id: row.turnId,
    status: ending.outcome,
    summary: ending.summary,
    error: ending.error === undefined ? null : resultError(ending.error),
    executed_by: executor,
    caller: row.caller,
    effective_capabilities: [...row.effective],
    request_digest: row.requestDigest,
    artifacts: ending.artifacts.map((artifact) => ({
      artifact_id: artifact.artifactId,
      owner: executor,
      digest: artifactDigest(artifact),
    })),
    side_effects: bounded(ending.sideEffects),
    event_log: { last_sequence: last.sequence, head: last.head },
    signed_at: instant(ending.signedAt),
    ...(row.cancelRequestedAt === undefined ? {} : { cancel_requested_at: instant(row.cancelRequestedAt) }),
  };
}

/** Where the log ends when these bodies are appended to it. */
export function headAfterBodies(from: { sequence: number; head: Digest }, bodies: readonly string[]) {
  return bodies.reduce(
    ({ sequence, head }, body) => ({ sequence: sequence + 1, head: nextHead(head, body) }),
    { sequence: from.sequence, head: from.head },
  );
}

function bounded(effects: readonly SideEffect[]): SideEffect[] {
  if (effects.length <= MAX_SIDE_EFFECTS) return [...effects];
  return [...effects.slice(0, MAX_SIDE_EFFECTS), { kind: 'truncated', evidence: 'unverified' }];
}
