import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** PRF-26: a refused task is put to work first (O-143: REJECTED branches off before running). */
export const rejectsAfterWorking: Defect = {
  id: 'rejects-after-working',
  breaks: 'a rejected task goes through WORKING',
  fails: ['RPL-15', 'PRF-01', 'PRF-12', 'PRF-22', 'PRF-26'],
  bindings: ['JSONRPC'],
  shownBy: ['/executor-rejected', '/rejected'],
  shownAt: ['append WORKING message'],
  executor: withJournal((journal) => ({
    admit(admission) {
      const [submitted, rejected] = admission.events;
      if (submitted === undefined || rejected === undefined) return journal.admit(admission);
      const body = submitted.body.replace('TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING');
      return journal.admit({
        ...admission,
        events: [submitted, { body, state: 'TASK_STATE_WORKING' }, rejected],
      });
    },
  })),
};
