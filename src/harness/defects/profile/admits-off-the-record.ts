import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** PRF-15: the task and its reservation are committed, and who let it in is not on record (O-142). */
export const admitsOffTheRecord: Defect = {
  id: 'admits-off-the-record',
  breaks: 'a task is admitted and run without a row of the audit that says so',
  fails: ['PRF-15'],
  bindings: ['HTTP+JSON'],
  executor: withJournal((journal) => ({
    admit: (admission) =>
      journal.admit({ ...admission, audit: { kind: 'start', at: admission.audit.at, detail: {} } }),
  })),
};
