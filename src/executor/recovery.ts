/** What a restart makes of tasks that a former process left open (profile section 5): never a second prompt. */
import type { TaskRow } from '../journal/journal.js';
import { type FinishContext, finish } from './finish.js';
import { APPEND_LIMIT_MS } from './task-log.js';

/**
 * Ends each open task that is `ours`; resolves when each has its terminal event, rejects when the store does not take
 * one. At a start it runs before the first request is served, and every open task is a former process's.
 */
export async function recover(
  context: FinishContext,
  ours: (row: TaskRow) => boolean = () => true,
): Promise<void> {
  const { journal, log, killOrphan } = context.parts;
  for (const row of journal.open().filter(ours)) {
    // The former agent must be gone before its task's outcome is signed.
    if (row.process !== undefined) await killOrphan(row.process);
    await recoverOne(context, row.taskId);
    log.warn(
      { task: row.taskId, dispatched: row.dispatchedAt !== undefined },
      'ended a task of a former process',
    );
  }
}

async function recoverOne(context: FinishContext, taskId: string): Promise<void> {
  const { judge } = context.parts;
  await finish(
    context,
    taskId,
    (row) => {
      const { outcome, error } = judge({
        dispatched: row.dispatchedAt !== undefined,
        // Nothing of this process saw what the agent did after the last journalled event.
        openCalls: true,
        noEffectProven: false,
        violated: false,
        stopCause: row.stopCause,
        cancelled: row.cancelRequestedAt !== undefined,
      });
      return { outcome, error, summary: '', sideEffects: [{ kind: 'boundary', evidence: 'unverified' }] };
    },
    { limitMs: APPEND_LIMIT_MS },
  );
}
