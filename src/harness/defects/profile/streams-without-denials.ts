import type { StoredEvent } from '../../../journal/journal.js';
import type { Defect } from '../defect.js';

/** PRF-22: one binding's stream keeps to itself what was denied; the log behind it is whole, and so is the signed head. */
export const streamsWithoutDenials: Defect = {
  id: 'streams-without-denials',
  breaks: 'on HTTP+JSON a stream leaves out the events that tell of a denied tool call',
  fails: ['PRF-22'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/denied'],
  executor: (parts) => ({
    ...parts,
    service: (service, binding) => ({
      ...service,
      async observe(caller, id, signal, terminalOk) {
        const { snapshot, events } = await service.observe(caller, id, signal, terminalOk);
        return { snapshot, events: binding === 'HTTP+JSON' ? withoutDenials(events) : events };
      },
    }),
  }),
};

async function* withoutDenials(batches: AsyncIterable<StoredEvent[]>): AsyncGenerator<StoredEvent[]> {
  for await (const batch of batches) yield batch.filter(({ body }) => !body.includes('"text":"denied: '));
}
