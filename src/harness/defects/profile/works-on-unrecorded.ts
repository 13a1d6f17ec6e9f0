import type { Defect } from '../defect.js';

/** PRF-15: an agent whose work nobody can record is let go on (section 5: stopped and killed after ten seconds). */
export const worksOnUnrecorded: Defect = {
  id: 'works-on-unrecorded',
  breaks: 'a turn whose events the store does not take is not killed',
  fails: ['PRF-15'],
  bindings: ['WSS'],
  shownBy: ['/mid-task'],
  executor(parts) {
    const { runner } = parts.executor;
    return {
      ...parts,
      executor: {
        ...parts.executor,
        runner: { ...runner, start: (task, hooks) => ({ ...runner.start(task, hooks), kill: () => {} }) },
      },
    };
  },
};
