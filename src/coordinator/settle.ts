/** From the terminal Task to the one result line: believed only when every condition of section 6 holds. */
import type { DelegationRequest } from '../profile/model.js';
import { Backoff } from './backoff.js';
import type { CoordinatorConfig } from './config.js';
import { type PeerConnection, PeerRefusal, type RemoteTask } from './connection.js';
import type { ResultLine } from './lines.js';
import type { Followed, Follower } from './observe.js';
import type { CoordinatorParts } from './parts.js';
import type { Delegation } from './store.js';

export async function settle(
  config: CoordinatorConfig,
  parts: CoordinatorParts,
  connection: PeerConnection,
  delegation: Delegation & { taskId: string },
  follower: Follower,
  followed: Extract<Followed, { kind: 'terminal' }>,
  signal: AbortSignal,
): Promise<ResultLine> {
  const read = () =>
    stubbornly(config, parts, signal, () => connection.get(delegation.taskId, undefined, { signal }));
  let remote = await read();
  let judged = judge(config.peer, parts, delegation, remote, followed);
  let seen = 'refused' in judged ? undefined : grade(parts, follower, judged.envelope.event_log);
  if (seen === undefined || seen === 'contradicted') {
    // Once more from the beginning: what was altered on its way, in the log or on the Task, is not yet a lie.
    const again = await stubbornly(config, parts, signal, () => follower.reread(signal));
    // A log that stops before its terminal event was not read in full, and takes nothing back.
    if (again !== undefined) {
      remote = await read();
      judged = judge(config.peer, parts, delegation, remote, again);
      seen = 'refused' in judged ? undefined : grade(parts, follower, judged.envelope.event_log);
    }
  }
  if (seen === 'contradicted') return { ...unknownLine(delegation, 'LOG_MISMATCH'), observation: seen };
  if ('refused' in judged) return unknownLine(delegation, judged.refused);
  const { envelope } = judged;
  return {
    type: 'result',
    request_id: delegation.requestId,
    task_id: delegation.taskId,
    outcome: envelope.status,
    verified: true,
    reason: null,
    observation: seen ?? null,
    envelope,
    artifacts: remote.task.artifacts ?? [],
  };
}

function judge(
  self: string,
  parts: CoordinatorParts,
  delegation: Delegation & { taskId: string },
  remote: RemoteTask,
  { event, sequence }: Extract<Followed, { kind: 'terminal' }>,
) {
  const request = JSON.parse(delegation.request) as DelegationRequest;
  return parts.accept(
    { task: remote.task, lastSequence: sequence, terminal: event },
    {
      requestId: delegation.requestId,
      requestDigest: delegation.requestDigest,
      taskId: delegation.taskId,
      turnId: delegation.turnId ?? remote.position?.turn_id ?? '',
      executor: delegation.peer,
      caller: self,
      requested: request.capabilities,
    },
    (kid) => parts.resultKey(delegation.peer, kid),
  );
}

/** A link that fails now says nothing about the result: tried again until the time for it is over. */
async function stubbornly<T>(
  config: CoordinatorConfig,
  parts: CoordinatorParts,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  const backoff = new Backoff(config.reconnect, parts);
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const final = error instanceof PeerRefusal && !error.transient;
      if (final || signal.aborted) throw error;
      await backoff.wait(signal);
    }
  }
}

function grade(
  parts: CoordinatorParts,
  follower: Follower,
  log: { last_sequence: number; head: `sha256:${string}` },
) {
  const { from, sequence, head, gaps } = follower.place;
  return parts.observation({ from, last: sequence, head, gaps }, log);
}

/** Never turned into success, and never a reason to delegate again (O-145). */
export function unknownLine(delegation: Delegation, reason: string): ResultLine {
  return {
    type: 'result',
    request_id: delegation.requestId,
    task_id: delegation.taskId ?? null,
    outcome: 'unknown',
    verified: false,
    reason,
    observation: null,
    envelope: null,
    artifacts: [],
  };
}

export function refusedLine(delegation: Pick<Delegation, 'requestId'>, reason: string): ResultLine {
  return {
    type: 'result',
    request_id: delegation.requestId,
    task_id: null,
    outcome: 'refused',
    verified: false,
    reason,
    observation: null,
    envelope: null,
    artifacts: [],
  };
}
