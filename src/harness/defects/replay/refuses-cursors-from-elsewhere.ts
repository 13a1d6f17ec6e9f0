import { ProfileError } from '../../../profile/errors.js';
import type { Defect } from '../defect.js';
import { withCursorsFromElsewhere } from '../made-elsewhere.js';

/** RPL-09: what a reader was given on another binding is no place here (profile section 4: valid on all of them). */
export const refusesCursorsFromElsewhere: Defect = {
  id: 'refuses-cursors-from-elsewhere',
  breaks: 'HTTP+JSON refuses the cursors of tasks that were made on another binding',
  fails: ['RPL-09'],
  bindings: ['OAB'],
  shownBy: ['/resumed-on-HTTP+JSON'],
  executor: withCursorsFromElsewhere('HTTP+JSON', () => {
    throw new ProfileError('CURSOR_INVALID');
  }),
};
