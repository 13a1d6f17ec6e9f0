import { withPages } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-12: what was trimmed was never there. */
export const gapInSilence: Defect = {
  id: 'gap-in-silence',
  breaks: 'a page below the retention floor says that it is complete',
  fails: ['RPL-12'],
  bindings: ['OAB'],
  executor: withPages(({ events, next }) => ({ events, next, complete: true })),
};
