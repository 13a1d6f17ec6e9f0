/** Writes the one terminal event of a task, signed; whoever comes second changes nothing (first terminal wins). */
import type { TaskRow } from '../journal/journal.js';
import { foldArtifact } from '../profile/artifacts.js';
import { MAX_SUMMARY_BYTES } from '../profile/envelope.js';
import { isTerminal } from '../profile/lifecycle.js';
import { coreState } from '../profile/outcome.js';
import { statusDraft, withResult } from './drafts.js';
import { type Patience, untilDurable } from './durable.js';
import type { Folds } from './fold.js';
import type { ExecutorParts } from './parts.js';
import { buildEnvelope, type Ending, headAfterBodies } from './result.js';
import { wellFormedHead } from './split-text.js';
import { closingOf } from './translate.js';

export interface FinishContext {
  executor: string;
  parts: ExecutorParts;
  folds: Folds;
}

export type Judged = Omit<Ending, 'signedAt' | 'artifacts'>;

/**
 * `judged` is asked again whenever the task moved on in between, since a cancel that was recorded first counts.
 * Artifacts are taken from the journal, never from memory: what was not durable is in no result. Whatever stands in
 * the way (store, signing key), the outcome is written when it is gone, or rejects when `patience` ends.
 */
export async function finish(
  { executor, parts, folds }: FinishContext,
  taskId: string,
  judged: (row: TaskRow) => Judged,
  patience: Patience = {},
): Promise<TaskRow | undefined> {
  const { journal, clock, keys, mint, sign, log } = parts;

  const attempt = async (): Promise<TaskRow | 'moved' | undefined> => {
    await folds.prepare(taskId);
    const snapshot = folds.snapshot(taskId);
    if (snapshot === undefined || isTerminal(snapshot.row.state)) return snapshot?.row;
    const { row } = snapshot;
    const artifacts = new Map(snapshot.artifacts.map((artifact) => [artifact.artifactId, artifact]));
    const closing = closingOf(row, artifacts);
    for (const { update } of closing) foldArtifact(artifacts, update);

    const ending = judged(row);
    const summary = wellFormedHead(ending.summary, MAX_SUMMARY_BYTES);
    const signedAt = clock.now();
    const message = summary === '' ? undefined : { id: mint('message'), text: summary };
    const last = statusDraft(row, coreState(ending.outcome), signedAt, message);
    const before = closing.map(({ draft }) => draft);
    const end = headAfterBodies(
      row,
      [...before, last].map(({ body }) => body),
    );
    const unsigned = buildEnvelope(
      executor,
      row,
      { ...ending, summary, artifacts: [...artifacts.values()], signedAt },
      end,
    );
    const envelope = sign(unsigned, keys.active());
    const appended = await journal.append(taskId, {
      events: [...before, withResult(last, envelope)],
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
    });
    return appended.kind === 'moved' ? 'moved' : appended.task;
  };

  let told = false;
  const again = (error: unknown): boolean => {
    if (!told) log.error({ err: error, task: taskId }, 'an outcome cannot be written yet');
    told = true;
    return true;
  };
  for (;;) {
    const written = await untilDurable(clock, attempt, { again, ...patience });
    if (written !== 'moved') return written;
  }
}
