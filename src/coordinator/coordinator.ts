/** The coordinator (OAB A): delegate, wait, cancel, reconcile over its own store; it survives its own death anywhere. */
import { askCancel, type CancelAnswer } from './cancel.js';
import type { CoordinatorConfig } from './config.js';
import type { PeerConnection } from './connection.js';
import { create } from './create.js';
import { DelegateError, type DelegateInput, intend } from './intend.js';
import { INTERRUPTED, type ResultLine, type Sink } from './lines.js';
import { whenNoTerminal } from './no-terminal.js';
import { Follower } from './observe.js';
import type { CoordinatorParts } from './parts.js';
import { refusedLine, settle, unknownLine } from './settle.js';
import type { Delegation } from './store.js';

/**
 * An aborted signal ends the watching alone: the line then has the reason INTERRUPTED, is not printed and not stored,
 * and `wait` goes on.
 */
export interface Coordinator {
  /**
   * Makes the intent durable, and returns its request id; the same question under the same id is the one that exists.
   * Throws DelegateError for what may not be asked, and for another question under that id. Nothing is sent yet.
   */
  record(input: DelegateInput): string;
  /** Records, and follows to the result; the task id is told as soon as the executor has minted it. */
  delegate(input: DelegateInput, sink: Sink, signal: AbortSignal): Promise<ResultLine>;
  /** Goes on with a delegation where it stands: with its one request, never with another. */
  wait(id: string, sink: Sink, signal: AbortSignal): Promise<ResultLine>;
  /** Records the wish and asks the executor until it answers or the signal aborts; the outcome comes with `wait`. */
  cancel(id: string, signal: AbortSignal): Promise<CancelAnswer>;
  /** Looks again for a verified result where only a local unknown is known; the sink gets the result alone. */
  reconcile(id: string, sink: Sink, signal: AbortSignal): Promise<ResultLine>;
  status(id: string): Delegation | undefined;
  tasks(): Delegation[];
}

export function createCoordinator(config: CoordinatorConfig, parts: CoordinatorParts): Coordinator {
  const find = (id: string): Delegation => {
    const found = parts.store.find(id);
    if (found === undefined)
      throw new DelegateError(`no single delegation ${id} is known here; "oab-peer tasks" lists them`);
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
      if ('type' in accepted)
        return accepted.reason === INTERRUPTED ? accepted : end(delegation, accepted, sink);
      const { requestId, taskId, peer } = accepted;
      sink({ type: 'accepted', request_id: requestId, task_id: taskId as string, peer });
      const line = await follow(connection, accepted as Delegation & { taskId: string }, sink, signal);
      return signal.aborted && !line.verified
        ? unknownLine(accepted, INTERRUPTED)
        : end(accepted, line, sink);
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
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    const stopTimer = whenNoTerminal(config, parts, connection, delegation, until, () => over.abort());
    // Looked up now: it may have been recorded by another command while the create was on its way.
    if (parts.store.find(delegation.requestId)?.cancelWanted === true)
      void askCancel(config, parts, connection, delegation.taskId, until);
    try {
      const follower = new Follower(config, parts, connection, delegation, sink);
      const followed = await follower.follow(until);
      if (followed.kind === 'lost') return unknownLine(delegation, followed.reason);
      return await settle(config, parts, connection, delegation, follower, followed, until);
    } catch (error) {
      parts.log.warn({ err: error, task: delegation.taskId }, 'the result could not be had');
      return unknownLine(delegation, 'RESULT_UNAVAILABLE');
    } finally {
      stopTimer();
      over.abort();
    }
  };

  const wait = async (delegation: Delegation, sink: Sink, signal: AbortSignal): Promise<ResultLine> => {
    const { requestId, taskId, peer, result } = delegation;
    if (result === undefined) return pursue(delegation, sink, signal);
    const line = JSON.parse(result) as ResultLine;
    if (taskId !== undefined) sink({ type: 'accepted', request_id: requestId, task_id: taskId, peer });
    sink(line);
    return line;
  };

  const record = (input: DelegateInput): string => {
    const delegation = intend(config, parts, input);
    const { requestId } = delegation;
    if (!parts.store.insert(delegation) && find(requestId).requestDigest !== delegation.requestDigest)
      throw new DelegateError(`request ${requestId} exists already and asks for something else`);
    return requestId;
  };

  return {
    record,
    delegate: async (input, sink, signal) => wait(find(record(input)), sink, signal),
    wait: async (id, sink, signal) => wait(find(id), sink, signal),
    async cancel(id, signal) {
      const { requestId } = find(id);
      parts.store.update(requestId, { cancelWanted: true });
      const delegation = find(requestId);
      const { taskId } = delegation;
      if (taskId === undefined) return { task_id: null, state: 'recorded' };
      return withConnection(delegation, (connection) => askCancel(config, parts, connection, taskId, signal));
    },
    async reconcile(id, sink, signal) {
      const delegation = find(id);
      const known =
        delegation.result === undefined ? undefined : (JSON.parse(delegation.result) as ResultLine);
      const only: Sink = (line) => line.type === 'result' && sink(line);
      // A signed outcome is final, a signed unknown too; only what was concluded here alone is looked at again.
      if (known?.verified !== true && known?.outcome !== 'refused') return pursue(delegation, only, signal);
      only(known);
      return known;
    },
    status: (id) => parts.store.find(id),
    tasks: () => parts.store.all(),
  };
}
