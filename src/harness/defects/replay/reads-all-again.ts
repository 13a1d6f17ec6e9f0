import type { Defect } from '../defect.js';

/** RPL-16: the cursor that was stored is never asked from, and what is known already is passed over here. */
export const readsAllAgain: Defect = {
  id: 'reads-all-again',
  breaks: 'on OAB a coordinator that comes back reads every log from its beginning',
  fails: ['RPL-16'],
  bindings: ['OAB'],
  coordinator: (parts) => ({
    ...parts,
    connect(peer, cap) {
      const connection = parts.connect(peer, cap);
      return { ...connection, observe: (taskId, { signal }) => connection.observe(taskId, { signal }) };
    },
  }),
};
