import type { Observation } from '../../../executor/service.js';
import type { StoredEvent } from '../../../journal/journal.js';
import type { Defect } from '../defect.js';

/** RPL-02: attaching and reading are two steps, and an event falls between them. */
export const skipsFirstLiveEvent: Defect = {
  id: 'skips-first-live-event',
  breaks: 'the stream of a streaming create loses the first event behind its Task',
  fails: ['RPL-02', 'PRF-01', 'PRF-22'],
  bindings: ['HTTP+JSON'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async observe(caller, id, signal, terminalOk): Promise<Observation> {
        const seen = await service.observe(caller, id, signal, terminalOk);
        return terminalOk === true ? { ...seen, events: withoutFirst(seen.events) } : seen;
      },
    }),
  }),
};

async function* withoutFirst(batches: AsyncIterable<StoredEvent[]>): AsyncGenerator<StoredEvent[]> {
  let first = true;
  for await (const batch of batches) {
    yield first ? batch.slice(1) : batch;
    first = false;
  }
}
