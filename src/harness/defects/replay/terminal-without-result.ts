import type { StoredEvent } from '../../../journal/journal.js';
import { KEY } from '../../../profile/names.js';
import type { Defect } from '../defect.js';

/** RPL-04: the signed result is on the Task only, and whoever missed the terminal event gets it bare. */
export const terminalWithoutResult: Defect = {
  id: 'terminal-without-result',
  breaks: 'a terminal event that is read from a cursor other than 0 carries no signed result',
  fails: ['RPL-04'],
  bindings: ['JSONRPC'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async get(caller, id, cursor) {
        const answer = await service.get(caller, id, cursor);
        if (answer.page === undefined || cursor === '0') return answer;
        return { ...answer, page: { ...answer.page, events: answer.page.events.map(bare) } };
      },
    }),
  }),
};

function bare(event: StoredEvent): StoredEvent {
  if (event.meta?.includes(KEY.result) !== true) return event;
  const { meta: _meta, ...rest } = event;
  return rest;
}
