import { randomBytes } from 'node:crypto';
import { cursorOf, positionOf } from '../../../journal/cursor.js';
import type { Defect } from '../defect.js';

/** RPL-08: what a cursor is checked with lives as long as the process. */
export const cursorKeyOfTheProcess: Defect = {
  id: 'cursor-key-of-the-process',
  breaks: 'a cursor of a former process is answered as invalid',
  fails: ['RPL-08'],
  bindings: ['JSONRPC'],
  executor(parts) {
    const { journal } = parts.executor;
    const secret = randomBytes(32);
    const cursor = (id: string, sequence: number) => cursorOf(secret, id, sequence);
    return {
      ...parts,
      executor: {
        ...parts.executor,
        journal: {
          ...journal,
          cursor,
          position: (id, given) => positionOf(secret, id, given),
          read(id, after, limit, bytes) {
            const slice = journal.read(id, after, limit, bytes);
            return (
              slice && {
                ...slice,
                events: slice.events.map((event) => ({ ...event, cursor: cursor(id, event.sequence) })),
              }
            );
          },
        },
      },
    };
  },
};
