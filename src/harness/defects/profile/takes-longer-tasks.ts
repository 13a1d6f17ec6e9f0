import type { Defect } from '../defect.js';

/** PRF-25: the published bound and the enforced one are two. */
export const takesLongerTasks: Defect = {
  id: 'takes-longer-tasks',
  breaks: 'a task above the published maxTaskBytes is accepted',
  fails: ['PRF-25'],
  bindings: ['OAB'],
  executor: (parts) => ({
    ...parts,
    readCreate: (params, self) => parts.readCreate(params, { ...self, maxTaskBytes: 2 * self.maxTaskBytes }),
    readRequest: (raw, self) => parts.readRequest(raw, { ...self, maxTaskBytes: 2 * self.maxTaskBytes }),
  }),
};
