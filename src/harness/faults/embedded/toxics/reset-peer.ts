/** Resets the connection `timeout` milliseconds after its first data. */
import type { Toxic } from '../toxic.js';

export const resetPeer: Toxic = {
  type: 'reset_peer',
  attributes: { timeout: 0 },
  resets: true,
  // biome-ignore lint/correctness/useYield: nothing goes on, which is the point
  async *piece(_piece, { timeout = 0 }, flow) {
    await flow.pause(timeout);
    flow.close();
  },
};
