import type { Defect } from '../defect.js';
import { withCursorsFromElsewhere } from '../made-elsewhere.js';

/** RPL-09: whoever comes from another binding is told once more what its cursor says that it has. */
export const repeatsTheLastFromElsewhere: Defect = {
  id: 'repeats-the-last-from-elsewhere',
  breaks: 'on OAB a stream of a task that was made on another binding begins with the event of its cursor',
  fails: ['RPL-09'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/resumed-on-OAB'],
  executor: withCursorsFromElsewhere('OAB', (id, given, { executor: { journal } }) => {
    const position = journal.position(id, given);
    return position === undefined ? given : journal.cursor(id, position - 1);
  }),
};
