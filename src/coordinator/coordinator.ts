/** The coordinator (OAB A): delegate, wait, cancel, reconcile over its own store; it survives its own death anywhere. */
import { callerBound, intersect } from '../profile/authority.js';
import type { DelegationRequest } from '../profile/model.js';
import { CURSOR_START } from '../profile/names.js';
import { requestDigest, requestSchema } from '../profile/request.js';
import type { CoordinatorConfig } from './config.js';
import { type PeerConnection, PeerRefusal } from './connection.js';
import { create } from './create.js';
import type { ResultLine, Sink } from './lines.js';
import { Follower } from './observe.js';
import type { CoordinatorParts } from './parts.js';
import { refusedLine, settle, unknownLine } from './settle.js';
import type { Delegation } from './store.js';

export interface DelegateInput {
  peer: string;
  task: string;
  capabilities: string[];
  deadlineMs: number;
  maxOutputBytes: number;
  maxRuntimeMs?: number;
  requestId?: string;
  taskPath?: string;
  /** What the calling session itself was granted; policy A where it is not narrower. */
  grants?: readonly string[];
  /** The calling session is itself a delegated one: refused, nothing is sent (O-30, O-105). */
  delegated?: boolean;
}

/** What was asked cannot be done, and nothing was sent: one line, for the user. */
export class DelegateError extends Error {
  override name = 'DelegateError';
}

export interface Coordinator {
  /** Makes the intent durable and follows it to its result; the id is told as soon as the executor has minted it. */
  delegate(input: DelegateInput, sink: Sink, signal: AbortSignal): Promise<ResultLine>;
  /** Goes on with a delegation where it stands; creates nothing that was not created already. */
  wait(id: string, sink: Sink, signal: AbortSignal): Promise<ResultLine>;
  /** Records the wish and asks the executor; the outcome comes with `wait` (O-146). */
  cancel(id: string, signal: AbortSignal): Promise<{ task_id: string | null; state: string }>;
  /** Looks again for a verified result where only a local unknown is known. */
  reconcile(id: string, signal: AbortSignal): Promise<ResultLine>;
  status(id: string): Delegation | undefined;
  tasks(): Delegation[];
}

export function createCoordinator(config: CoordinatorConfig, parts: CoordinatorParts): Coordinator {
  const find = (id: string): Delegation => {
    const found = parts.store.find(id);
    if (found === undefined)
      throw new DelegateError(`no delegation ${id} is known here; "oab-peer tasks" lists them`);
    return found;
  };
  const withConnection = async <T>(
    delegation: Delegation,
    use: (connection: PeerConnection) => Promise<T>,
  ): Promise<T> => {
    const connection = parts.connect(delegation.peer, delegation.cap);
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  };
  const end = (delegation: Delegation, line: ResultLine, sink: Sink): ResultLine => {
    parts.store.update(delegation.requestId, { result: JSON.stringify(line) });
    sink(line);
    return line;
  };

  const pursue = (delegation: Delegation, sink: Sink, signal: AbortSignal): Promise<ResultLine> =>
    withConnection(delegation, async (connection) => {
      const accepted =
        delegation.taskId === undefined ? await accept(connection, delegation, signal) : delegation;
      if ('type' in accepted) return signal.aborted ? accepted : end(delegation, accepted, sink);
      const { requestId, taskId, peer } = accepted;
      sink({ type: 'accepted', request_id: requestId, task_id: taskId as string, peer });
      const line = await follow(connection, accepted as Delegation & { taskId: string }, sink, signal);
      // Interrupted by the user: nothing is concluded, `wait` goes on.
      return signal.aborted ? line : end(accepted, line, sink);
    });

  const accept = async (
    connection: PeerConnection,
    delegation: Delegation,
    signal: AbortSignal,
  ): Promise<Delegation | ResultLine> => {
    const created = await create(config, parts, connection, delegation, signal);
    if (created.kind === 'refused') return refusedLine(delegation, created.reason);
    if (created.kind === 'unknown') return unknownLine(delegation, created.reason);
    const { task, position } = created.remote;
    const change = {
      taskId: task.id,
      acceptedAt: parts.now(),
      ...(position === undefined ? {} : { turnId: position.turn_id }),
    };
    parts.store.update(delegation.requestId, change);
    return { ...delegation, ...change };
  };

  const follow = async (
    connection: PeerConnection,
    delegation: Delegation & { taskId: string },
    sink: Sink,
    signal: AbortSignal,
  ) => {
    const limit = new AbortController();
    const until = AbortSignal.any([signal, limit.signal]);
    const cancelTimer = await noTerminalTimer(connection, delegation, limit, until);
    const follower = new Follower(config, parts, connection, delegation, sink);
    try {
      if (delegation.cancelWanted)
        await askCancel(connection, delegation.taskId, until).catch(() => undefined);
      const followed = await follower.follow(until);
      if (followed.kind === 'lost') return unknownLine(delegation, followed.reason);
      return await settle(config, parts, connection, delegation, follower, followed, until);
    } catch (error) {
      parts.log.warn({ err: error, task: delegation.taskId }, 'the result could not be had');
      return unknownLine(delegation, 'RESULT_UNAVAILABLE');
    } finally {
      cancelTimer();
    }
  };

  /** Local unknown: no terminal by deadline + stop grace + skew + two heartbeats, on the monotonic clock (section 6). */
  const noTerminalTimer = async (
    connection: PeerConnection,
    delegation: Delegation,
    limit: AbortController,
    signal: AbortSignal,
  ): Promise<() => void> => {
    const request = JSON.parse(delegation.request) as DelegationRequest;
    const { stopGraceMs, heartbeatSeconds } = await connection.describe({ signal }).then(
      ({ params }) => params,
      () => ({ stopGraceMs: 10_000, heartbeatSeconds: 15 }),
    );
    const allowed = request.deadline_ms + stopGraceMs + config.clockSkewMs + 2 * heartbeatSeconds * 1000;
    // Of a delegation that an earlier process began, only wall time tells how long ago that was.
    const elapsed = Math.max(0, parts.now() - (delegation.acceptedAt ?? parts.now()));
    const stop = new AbortController();
    void parts.pause(Math.max(1000, allowed - elapsed), stop.signal).then(() => {
      if (!stop.signal.aborted) limit.abort();
    });
    return () => stop.abort();
  };

  return {
    delegate(input, sink, signal) {
      const delegation = intend(config, parts, input);
      if (!parts.store.insert(delegation)) {
        throw new DelegateError(
          `request ${delegation.requestId} exists already; "oab-peer wait ${delegation.requestId}" goes on with it`,
        );
      }
      return pursue(delegation, sink, signal);
    },
    async wait(id, sink, signal) {
      const delegation = find(id);
      if (delegation.result === undefined) return pursue(delegation, sink, signal);
      const line = JSON.parse(delegation.result) as ResultLine;
      if (delegation.taskId !== undefined) {
        sink({
          type: 'accepted',
          request_id: delegation.requestId,
          task_id: delegation.taskId,
          peer: delegation.peer,
        });
      }
      sink(line);
      return line;
    },
    async cancel(id, signal) {
      const delegation = find(id);
      parts.store.update(delegation.requestId, { cancelWanted: true });
      if (delegation.taskId === undefined) return { task_id: null, state: 'recorded' };
      const { taskId } = delegation;
      return withConnection(delegation, async (connection) => ({
        task_id: taskId,
        state: await askCancel(connection, taskId, signal),
      }));
    },
    async reconcile(id, signal) {
      const delegation = find(id);
      const known =
        delegation.result === undefined ? undefined : (JSON.parse(delegation.result) as ResultLine);
      // A signed outcome is final, a signed unknown too; only what was concluded here alone is looked at again.
      if (known?.verified === true || known?.outcome === 'refused') return known;
      return pursue(delegation, () => {}, signal);
    },
    status: (id) => parts.store.find(id),
    tasks: () => parts.store.all(),
  };
}

async function askCancel(connection: PeerConnection, taskId: string, signal: AbortSignal): Promise<string> {
  try {
    const { task } = await connection.cancel(taskId, { signal });
    return task.status.state;
  } catch (error) {
    if (error instanceof PeerRefusal && error.reason === 'TASK_NOT_CANCELABLE') return 'TASK_NOT_CANCELABLE';
    throw error;
  }
}

/** The request, minted once and never changed; throws DelegateError for what may not be asked. */
function intend(config: CoordinatorConfig, parts: CoordinatorParts, input: DelegateInput): Delegation {
  if (input.delegated === true)
    throw new DelegateError('DEPTH_EXCEEDED: a delegated session may not delegate again');
  const peer = config.peers.find((one) => one.peer === input.peer);
  if (peer === undefined) throw new DelegateError(`peer ${input.peer} is not configured`);
  const grants = input.grants ?? peer.capabilities;
  const authority = callerBound(input.capabilities, grants, peer.capabilities);
  if ('refused' in authority) {
    throw new DelegateError(
      `${authority.refused}: ${authority.capability ?? 'no capability'} is not granted for ${input.peer}`,
    );
  }
  const request: DelegationRequest = {
    protocol_version: 1,
    request_id: input.requestId ?? parts.mint('request'),
    nonce: parts.mint('nonce'),
    issued_at: new Date(parts.now()).toISOString(),
    target_peer: input.peer,
    task: input.task,
    ...(input.taskPath === undefined ? {} : { task_path: input.taskPath }),
    capabilities: [...input.capabilities],
    deadline_ms: input.deadlineMs,
    budget: {
      max_output_bytes: input.maxOutputBytes,
      ...(input.maxRuntimeMs === undefined ? {} : { max_runtime_ms: input.maxRuntimeMs }),
    },
    delegation_depth: 0,
    context_policy: 'none',
  };
  const checked = requestSchema.safeParse(request);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw new DelegateError(`${issue?.path.join('.') ?? 'request'}: not what the profile allows there`);
  }
  return {
    requestId: request.request_id,
    peer: input.peer,
    request: JSON.stringify(request),
    requestDigest: requestDigest(request),
    cap: intersect(grants, peer.capabilities),
    createdAt: parts.now(),
    sent: false,
    cancelWanted: false,
    cursor: CURSOR_START,
    sequence: 0,
    from: 0,
    gaps: false,
  };
}
