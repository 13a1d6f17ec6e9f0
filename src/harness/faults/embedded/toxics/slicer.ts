/** Cuts pieces into slices of `average_size` ± `size_variation` bytes, `delay` microseconds apart. */
import type { Toxic } from '../toxic.js';

export const slicer: Toxic = {
  type: 'slicer',
  attributes: { average_size: 0, size_variation: 0, delay: 0 },
  async *piece(piece, { average_size = 0, size_variation = 0, delay = 0 }, flow) {
    let at = 0;
    while (at < piece.data.length) {
      const size = Math.max(1, Math.round(average_size + (flow.random() * 2 - 1) * size_variation));
      yield { data: piece.data.subarray(at, at + size), at: piece.at };
      at += size;
      if (at < piece.data.length && !(await flow.pause(delay / 1000))) {
        yield { data: piece.data.subarray(at), at: piece.at };
        return;
      }
    }
  },
};
