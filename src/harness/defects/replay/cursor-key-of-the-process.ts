import { randomBytes } from 'node:crypto';
import { cursorOf, positionOf } from '../../../journal/cursor.js';
import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-08: what a cursor is checked with lives as long as the process. */
export const cursorKeyOfTheProcess: Defect = {
  id: 'cursor-key-of-the-process',
  breaks: 'a cursor of a former process is answered as invalid',
  fails: ['RPL-08'],
  bindings: ['HTTP+JSON'],
  executor: withJournal((journal) => {
    const secret = randomBytes(32);
    const cursor = (id: string, sequence: number) => cursorOf(secret, id, sequence);
    return {
      cursor,
      position: (id, given) => positionOf(secret, id, given),
      read(id, after, limit, bytes) {
        const slice = journal.read(id, after, limit, bytes);
        const events = slice?.events.map((event) => ({ ...event, cursor: cursor(id, event.sequence) }));
        return slice && { ...slice, events: events ?? [] };
      },
    };
  }),
};
