import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-05: the cancel flips a column; no observer and no replay ever sees it (OPEN-10). */
export const cancelIsNoEvent: Defect = {
  id: 'cancel-is-no-event',
  breaks: 'a cancel is recorded on the task but not as an event',
  fails: ['RPL-05', 'PRF-22'],
  bindings: ['OAB'],
  shownBy: ['/cancelled'],
  executor: withJournal((journal) => ({
    append: (id, append) =>
      journal.append(id, append.audit?.kind === 'cancel' ? { ...append, events: [] } : append),
  })),
};
