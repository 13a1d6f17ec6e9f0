import type { StoredEvent } from '../../../journal/journal.js';
import type { Defect } from '../defect.js';

/** RPL-03: a cursor is taken for the next event that the reader wants, not for the last one that it has. */
export const streamSkipsOne: Defect = {
  id: 'stream-skips-one',
  breaks: 'on OAB a stream from a cursor leaves out the event that follows it',
  fails: ['RPL-02', 'RPL-03', 'RPL-04', 'RPL-05', 'RPL-09', 'PRF-22'],
  bindings: ['OAB'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async follow(caller, id, cursor, signal) {
        const following = await service.follow(caller, id, cursor, signal);
        return cursor === '0' ? following : { ...following, events: withoutFirst(following.events) };
      },
    }),
  }),
};

async function* withoutFirst(batches: AsyncIterable<StoredEvent[]>): AsyncGenerator<StoredEvent[]> {
  let first = true;
  for await (const batch of batches) {
    const events = first ? batch.slice(1) : batch;
    first = false;
    if (events.length > 0) yield events;
  }
}
