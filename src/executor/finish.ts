/** Writes the one terminal event of a task, signed; whoever comes second changes nothing (first terminal wins). */
import type { EventDraft, TaskRow } from '../journal/journal.js';
import { coreState } from '../profile/outcome.js';
import { statusDraft, withResult } from './drafts.js';
import { untilDurable } from './durable.js';
import type { ExecutorParts } from './parts.js';
import { buildEnvelope, type Ending, headAfterBodies } from './result.js';

/**
 * `judged` is asked again whenever the task moved on in between, since a cancel that was recorded first counts.
 * `closing` are events that go right before the terminal one, in the same transaction.
 */
export async function finish(
  executor: string,
  parts: ExecutorParts,
  taskId: string,
  judged: (row: TaskRow) => Omit<Ending, 'signedAt'>,
  closing: readonly EventDraft[] = [],
  stopped: () => boolean = () => false,
): Promise<TaskRow | undefined> {
  const { journal, clock, keys, mint, sign } = parts;
  for (;;) {
    const row = journal.task(taskId);
    if (row === undefined) return undefined;
    const ending = judged(row);
    const signedAt = clock.now();
    const state = coreState(ending.outcome);
    const message = ending.summary === '' ? undefined : { id: mint('message'), text: ending.summary };
    const last = statusDraft(row, state, signedAt, message);
    const end = headAfterBodies(
      row,
      [...closing, last].map(({ body }) => body),
    );
    const envelope = sign(buildEnvelope(executor, row, { ...ending, signedAt }, end), keys.active());
    const appended = await untilDurable(
      clock,
      () =>
        journal.append(taskId, {
          events: [...closing, withResult(last, envelope)],
          expect: row.sequence,
          set: { outcome: ending.outcome, terminalAt: signedAt },
          audit: {
            kind: 'terminal',
            at: signedAt,
            peer: row.caller,
            taskId,
            detail: {
              outcome: ending.outcome,
              error: ending.error ?? null,
              result_digest: envelope.result_digest,
            },
          },
        }),
      { stopped },
    );
    if (appended.kind !== 'moved') return appended.task;
  }
}
