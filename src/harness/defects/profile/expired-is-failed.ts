import { judge } from '../../../profile/outcome.js';
import type { Defect } from '../defect.js';

/** PRF-12: core FAILED is all that is left of the deadline. */
export const expiredIsFailed: Defect = {
  id: 'expired-is-failed',
  breaks: 'a task whose deadline passed is signed as failed',
  fails: ['RPL-19', 'PRF-12', 'PRF-20', 'PRF-22'],
  bindings: ['OAB'],
  shownBy: ['/executor-expired', '/expired'],
  executor: (parts) => ({
    ...parts,
    executor: {
      ...parts.executor,
      judge(evidence) {
        const judged = judge(evidence);
        return judged.outcome === 'expired' ? { ...judged, outcome: 'failed' } : judged;
      },
    },
  }),
};
