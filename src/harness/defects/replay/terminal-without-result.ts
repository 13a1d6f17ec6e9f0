import type { StoredEvent } from '../../../journal/journal.js';
import { KEY } from '../../../profile/names.js';
import { withPages } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-04: the signed result is on the Task only, and whoever missed the terminal event gets it bare. */
export const terminalWithoutResult: Defect = {
  id: 'terminal-without-result',
  breaks: 'a terminal event that is read from a cursor other than 0 carries no signed result',
  fails: ['RPL-04', 'RPL-09', 'PRF-22'],
  bindings: ['WSS'],
  executor: withPages((page, cursor) => (cursor === '0' ? page : { ...page, events: page.events.map(bare) })),
};

function bare(event: StoredEvent): StoredEvent {
  if (event.meta?.includes(KEY.result) !== true) return event;
  const { meta: _meta, ...rest } = event;
  return rest;
}
