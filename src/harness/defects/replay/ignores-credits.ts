import type { Defect } from '../defect.js';

/** RPL-07: whoever gave no credit is sent everything all the same (profile 9). */
export const ignoresCredits: Defect = {
  id: 'ignores-credits',
  breaks: 'on OAB and WSS a stream goes on although its reader gave no credit',
  fails: ['RPL-07'],
  bindings: ['OAB', 'WSS'],
  shownBy: ['/without-credit'],
  executor: (parts) => ({
    ...parts,
    sendItems(sink, batches, credits, signal) {
      credits.add(1_000_000);
      return parts.sendItems(sink, batches, credits, signal);
    },
  }),
};
