import type { Defect } from '../defect.js';

/** RPL-15: what was said before the crash is taken for all that there was to say (O-144, O-145). */
export const recoverySaysCompleted: Defect = {
  id: 'recovery-says-completed',
  breaks: 'a restart signs a task as completed that was dispatched and had not ended',
  fails: ['RPL-15'],
  bindings: ['OAB'],
  shownAt: ['append artifact last'],
  executor: (parts) => ({
    ...parts,
    executor: {
      ...parts.executor,
      judge(evidence) {
        // A turn that this process saw to its end has a reason or an error.
        const unseen = evidence.stopReason === undefined && evidence.error === undefined;
        return unseen && evidence.dispatched ? { outcome: 'completed' } : parts.executor.judge(evidence);
      },
    },
  }),
};
