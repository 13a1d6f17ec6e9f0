/** The changes that several defects make: another journal underneath, other pages on top, other words of a coordinator that comes back. */
import type { PeerConnection } from '../../coordinator/connection.js';
import type { CoordinatorParts } from '../../coordinator/parts.js';
import type { TaskPage } from '../../executor/service.js';
import type { Journal, StoredEvent } from '../../journal/journal.js';
import type { ExecutorPeerParts } from '../../peer/executor.js';
import type { DelegationRequest } from '../../profile/model.js';

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

/** The executor whose pages of events are changed on their way out; on OAB, which has none, each batch of a stream is one. */
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
      async follow(caller, id, cursor, signal) {
        const { floor, events, ...rest } = await service.follow(caller, id, cursor, signal);
        const gap = floor === undefined ? { complete: true } : { complete: false, floor };
        const page = (batch: StoredEvent[]) => change({ events: batch, next: '', ...gap }, cursor);
        const left = page([]).floor;
        return { ...rest, ...(left && { floor: left }), events: changed(events, page) };
      },
    }),
  });
}

async function* changed(
  batches: AsyncIterable<StoredEvent[]>,
  page: (batch: StoredEvent[]) => Page,
): AsyncGenerator<StoredEvent[]> {
  for await (const batch of batches) yield [...page(batch).events];
}

/** The coordinator that changes, on its way out, a request which a former process had sent. */
export function onceMore(
  change: (request: DelegationRequest, parts: CoordinatorParts) => DelegationRequest,
): (parts: CoordinatorParts) => CoordinatorParts {
  return (parts) => {
    /** First sent by this process. */
    const own = new Set<string>();
    return {
      ...parts,
      store: {
        ...parts.store,
        update(id, what) {
          if (what.sent === true) own.add(id);
          parts.store.update(id, what);
        },
      },
      connect(peer, cap) {
        const connection = parts.connect(peer, cap);
        const create: PeerConnection['create'] = (request, options) =>
          connection.create(own.has(request.request_id) ? request : change(request, parts), options);
        return { ...connection, create };
      },
    };
  };
}
