/** Holds the sender's end back for `delay` milliseconds. */
import type { Toxic } from '../toxic.js';

export const slowClose: Toxic = {
  type: 'slow_close',
  attributes: { delay: 0 },
  async *piece(piece) {
    yield piece;
  },
  async end({ delay = 0 }, flow) {
    await flow.pause(delay);
  },
};
