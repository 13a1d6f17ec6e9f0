/** An append that may be tried again: events whose acknowledgement was lost stand in the log already, and stand there once. */
import type { Append, Appended, EventDraft, Journal, StoredEvent } from '../journal/journal.js';

/**
 * Each call of the result is one try of the same append; after the first it looks whether an earlier one has become
 * durable without saying so. `after`: a sequence behind which only these events can be these events.
 */
export function appendOnce(
  journal: Journal,
  taskId: string,
  append: Append,
  after: number,
): () => Promise<Appended> {
  let tried = false;
  return async () => {
    if (!tried) {
      tried = true;
      return journal.append(taskId, append);
    }
    for (;;) {
      const slice = journal.read(taskId, after, Number.MAX_SAFE_INTEGER);
      if (slice !== undefined && standsIn(slice.events, append.events))
        return { kind: 'appended', task: slice.task };
      // Only if nothing has come in between: an earlier try may become durable while we look.
      const expect = slice === undefined ? {} : { expect: slice.task.sequence };
      const appended = await journal.append(taskId, { ...append, ...expect });
      if (appended.kind !== 'moved') return appended;
    }
  };
}

/** They were written in one transaction, so they follow each other. */
function standsIn(log: readonly StoredEvent[], drafts: readonly EventDraft[]): boolean {
  return log.some((_event, from) =>
    drafts.every(({ body, meta }, index) => {
      const event = log[from + index];
      return event?.body === body && event.meta === meta;
    }),
  );
}
