import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-13: a cursor says its number, and no more is looked at. */
export const plainCursors: Defect = {
  id: 'plain-cursors',
  breaks: 'a cursor of one task is taken for a position of another',
  fails: ['RPL-13'],
  bindings: ['WSS'],
  executor: withJournal(() => ({
    position(_id, cursor) {
      const number = /^(?:0|c(\d+)\..*)$/.exec(cursor);
      return number === null ? undefined : Number(number[1] ?? 0);
    },
  })),
};
