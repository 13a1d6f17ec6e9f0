/** Closes the connection once `bytes` bytes have passed. */
import type { Toxic } from '../toxic.js';

export const limitData: Toxic = {
  type: 'limit_data',
  attributes: { bytes: 0 },
  async *piece(piece, { bytes = 0 }, flow) {
    const passed = flow.memory.passed ?? 0;
    const data = piece.data.subarray(0, Math.max(0, bytes - passed));
    flow.memory.passed = passed + data.length;
    if (data.length > 0) yield { data, at: piece.at };
    if (passed + data.length >= bytes) flow.close();
  },
};
