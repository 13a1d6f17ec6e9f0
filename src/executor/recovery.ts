/** What a restart makes of tasks that a former process left open (profile section 5): never a second prompt. */
import type { TaskRow } from '../journal/journal.js';
import { finish } from './finish.js';
import type { Folds } from './fold.js';
import type { ExecutorParts } from './parts.js';

/** Ends every open task; resolves when each has its terminal event. Runs before the first request is served. */
export async function recover(executor: string, parts: ExecutorParts, folds: Folds): Promise<void> {
  for (const row of parts.journal.open()) {
    // The former agent must be gone before its task's outcome is signed.
    if (row.process !== undefined) await parts.killOrphan(row.process);
    await recoverOne(executor, parts, folds, row);
    parts.log.warn(
      { task: row.taskId, dispatched: row.dispatchedAt !== undefined },
      'ended a task of a former process',
    );
  }
}

async function recoverOne(
  executor: string,
  parts: ExecutorParts,
  folds: Folds,
  { taskId }: TaskRow,
): Promise<void> {
  const artifacts = folds.snapshot(taskId)?.artifacts ?? [];
  await finish(executor, parts, taskId, (row) => {
    const { outcome, error } = parts.judge({
      dispatched: row.dispatchedAt !== undefined,
      // Nothing of this process saw what the agent did after the last journalled event.
      openCalls: true,
      noEffectProven: false,
      violated: false,
      stopCause: row.stopCause,
      cancelled: row.cancelRequestedAt !== undefined,
    });
    return {
      outcome,
      error,
      summary: '',
      artifacts,
      sideEffects: row.dispatchedAt === undefined ? [] : [{ kind: 'boundary', evidence: 'unverified' }],
    };
  });
}
