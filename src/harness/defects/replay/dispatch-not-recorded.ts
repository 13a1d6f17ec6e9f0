import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-15: that an agent was prompted is known to the process alone, and dies with it. */
export const dispatchNotRecorded: Defect = {
  id: 'dispatch-not-recorded',
  breaks: 'a restart takes a task whose agent was prompted for one that was never dispatched',
  fails: ['RPL-15'],
  bindings: ['JSONRPC'],
  shownAt: ['append WORKING message'],
  executor: withJournal((journal) => ({
    append(id, append) {
      const { dispatchedAt: _forgotten, ...set } = append.set ?? {};
      return journal.append(id, { ...append, set });
    },
  })),
};
