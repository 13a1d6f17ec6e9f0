/** Lets `rate` kilobytes (1,000 bytes) a second through, in slices of at most 100 ms. */
import type { Toxic } from '../toxic.js';

export const bandwidth: Toxic = {
  type: 'bandwidth',
  attributes: { rate: 0 },
  async *piece(piece, { rate = 0 }, flow) {
    const slice = Math.max(1, Math.floor(rate * 100));
    for (let at = 0; at < piece.data.length; at += slice) {
      const data = piece.data.subarray(at, at + slice);
      if (!(await flow.pause(rate > 0 ? data.length / rate : 0))) {
        // Changed or removed: nothing of what it held is lost, and nothing of it waits any longer.
        yield { data: piece.data.subarray(at), at: piece.at };
        return;
      }
      yield { data, at: piece.at };
    }
  },
};
