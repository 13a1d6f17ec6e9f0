import type { Defect } from '../defect.js';

/** PRF-29: what was denied did not happen, and so is not told. */
export const forgetsDenials: Defect = {
  id: 'forgets-denials',
  breaks: 'denied tool calls are left out of the side effects',
  fails: ['PRF-22', 'PRF-29'],
  bindings: ['OAB'],
  shownBy: ['/denied'],
  executor: (parts) => ({
    ...parts,
    executor: {
      ...parts.executor,
      sign: (unsigned, key) =>
        parts.executor.sign(
          {
            ...unsigned,
            side_effects: unsigned.side_effects.filter(({ evidence }) => evidence !== 'denied'),
          },
          key,
        ),
    },
  }),
};
