/** The two changes that many defects make: another journal underneath, other pages on top. */
import type { TaskPage } from '../../executor/service.js';
import type { Journal } from '../../journal/journal.js';
import type { ExecutorPeerParts } from '../../peer/executor.js';

type Page = NonNullable<TaskPage['page']>;

/** The executor over a journal with some methods replaced. */
export function withJournal(
  change: (journal: Journal) => Partial<Journal>,
): (parts: ExecutorPeerParts) => ExecutorPeerParts {
  return (parts) => {
    const { journal } = parts.executor;
    return { ...parts, executor: { ...parts.executor, journal: { ...journal, ...change(journal) } } };
  };
}

/** The executor whose pages of events are changed on their way out. */
export function withPages(
  change: (page: Page, cursor: string) => Page,
): (parts: ExecutorPeerParts) => ExecutorPeerParts {
  return (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async get(caller, id, cursor) {
        const answer = await service.get(caller, id, cursor);
        if (answer.page === undefined || cursor === undefined) return answer;
        return { ...answer, page: change(answer.page, cursor) };
      },
    }),
  });
}
