/** Drops everything; closes `timeout` milliseconds after the last piece, or never with 0; removal closes. */
import type { Toxic } from '../toxic.js';

export const timeout: Toxic = {
  type: 'timeout',
  attributes: { timeout: 0 },
  removalCloses: true,
  start({ timeout: after = 0 }, flow) {
    if (after > 0) arm(after, flow);
  },
  // biome-ignore lint/correctness/useYield: nothing goes on, which is the point
  async *piece(_piece, { timeout: after = 0 }, flow) {
    // As in the original, each piece starts the time anew.
    if (after > 0) arm(after, flow);
  },
};

function arm(after: number, flow: Parameters<NonNullable<Toxic['start']>>[1]): void {
  const round = (flow.memory.round ?? 0) + 1;
  flow.memory.round = round;
  void flow.pause(after).then((elapsed) => {
    if (elapsed && flow.memory.round === round) flow.close();
  });
}
