import type { Defect } from '../defect.js';

/** RPL-16: how far the events were read is known to the process alone, and dies with it. */
export const forgetsItsPlace: Defect = {
  id: 'forgets-its-place',
  breaks: 'a coordinator that comes back reads every task from its beginning',
  fails: ['RPL-16'],
  bindings: ['WSS'],
  shownAt: ['update cursor from gaps head sequence'],
  coordinator: (parts) => ({
    ...parts,
    store: {
      ...parts.store,
      update(id, change) {
        if (change.cursor === undefined) parts.store.update(id, change);
      },
    },
  }),
};
