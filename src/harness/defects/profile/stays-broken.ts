import { StoreUnavailable } from '../../../journal/journal.js';
import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** PRF-15: the connection that a fault broke is never opened anew, so that only a restart helps. */
export const staysBroken: Defect = {
  id: 'stays-broken',
  breaks:
    'after one write that the store did not take, the executor takes no task any more until it is restarted',
  fails: ['PRF-15'],
  bindings: ['OAB'],
  executor: withJournal((journal) => {
    let broken = false;
    return {
      async admit(admission) {
        if (broken) throw new StoreUnavailable('broken by an earlier fault');
        try {
          return await journal.admit(admission);
        } catch (error) {
          broken = true;
          throw error;
        }
      },
    };
  }),
};
