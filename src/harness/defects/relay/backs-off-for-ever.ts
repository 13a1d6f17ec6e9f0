import type { Defect } from '../defect.js';

/** What is waited for longer than this is no back-off. */
const LONGEST_STEP = 5000;
const MOST = 2000;

/** RLY-02: each wait is longer than the one before it, whatever came in between. */
export const backsOffForEver: Defect = {
  id: 'backs-off-for-ever',
  breaks: 'the back-off of a coordinator never starts anew, and grows beyond its ceiling',
  fails: ['RLY-02'],
  bindings: ['WSS'],
  coordinator: (parts) => {
    let factor = 1;
    return {
      ...parts,
      pause(ms, signal) {
        if (ms > LONGEST_STEP) return parts.pause(ms, signal);
        factor *= 2;
        return parts.pause(Math.min(ms * factor, MOST), signal);
      },
    };
  },
};
