/** Asking an executor to stop a task: best effort, and asked again until it was heard (O-146). */
import { Backoff } from './backoff.js';
import type { CoordinatorConfig } from './config.js';
import { type PeerConnection, PeerRefusal } from './connection.js';
import type { CoordinatorParts } from './parts.js';

/** What a cancel led to: the task's core state, the executor's refusal, or `recorded` while it was not reached. */
export interface CancelAnswer {
  task_id: string | null;
  state: string;
}

/** What a command exits with for a cancel: 0 it was heard, 3 refused, 4 nobody knows whether it was. */
export function cancelExitCode({ task_id, state }: CancelAnswer): number {
  if (state.startsWith('TASK_STATE_') || state === 'TASK_NOT_CANCELABLE') return 0;
  if (state !== 'recorded') return 3;
  return task_id === null ? 0 : 4;
}

/** Until there is an answer or the signal aborts; of a cancel that was not heard nothing is concluded. */
export async function askCancel(
  config: CoordinatorConfig,
  parts: CoordinatorParts,
  connection: PeerConnection,
  taskId: string,
  signal: AbortSignal,
): Promise<CancelAnswer> {
  const backoff = new Backoff(config.reconnect, parts);
  while (!signal.aborted) {
    let leastMs = 0;
    try {
      const { task } = await connection.cancel(taskId, { signal });
      return { task_id: taskId, state: task.status.state };
    } catch (error) {
      if (error instanceof PeerRefusal) {
        if (!error.transient) return { task_id: taskId, state: error.reason };
        leastMs = error.retryAfterMs ?? 0;
      }
      parts.log.info({ task: taskId, problem: (error as Error).message }, 'the cancel is tried again');
    }
    await backoff.wait(signal, leastMs);
  }
  return { task_id: taskId, state: 'recorded' };
}
