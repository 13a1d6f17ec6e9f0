import { withPages } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-03: a cursor is taken for the next event that the reader wants, not for the last one that it has. */
export const resumesOneLate: Defect = {
  id: 'resumes-one-late',
  breaks: 'the page after a cursor leaves out the event that follows it',
  fails: [
    'RPL-03',
    'RPL-04',
    'RPL-05',
    'RPL-06',
    'RPL-08',
    'RPL-09',
    'RPL-12',
    'RPL-14',
    'RPL-19',
    'RPL-20',
    'PRF-22',
  ],
  bindings: ['JSONRPC'],
  shownBy: ['/terminal-inside'],
  executor: withPages((page, cursor) => (cursor === '0' ? page : { ...page, events: page.events.slice(1) })),
};
