import type { StoredEvent } from '../../../journal/journal.js';
import type { Defect } from '../defect.js';

/** RPL-07: one iterator per task, and whoever pulls next gets the next batch (OPEN-06). */
export const observersShareAQueue: Defect = {
  id: 'observers-share-a-queue',
  breaks: 'the observers of one task steal each other’s events',
  fails: ['RPL-03', 'RPL-07', 'RPL-09', 'RPL-20', 'PRF-22'],
  bindings: ['HTTP+JSON'],
  executor(parts) {
    const queues = new Map<string, AsyncIterator<StoredEvent[]>>();
    return {
      ...parts,
      service: (service) => ({
        ...service,
        async observe(caller, id, signal, terminalOk) {
          const seen = await service.observe(caller, id, signal, terminalOk);
          const queue = queues.get(id) ?? seen.events[Symbol.asyncIterator]();
          queues.set(id, queue);
          return { ...seen, events: { [Symbol.asyncIterator]: () => ({ next: () => queue.next() }) } };
        },
      }),
    };
  },
};
