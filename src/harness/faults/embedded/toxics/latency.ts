/** Delays every piece by `latency` ± `jitter` milliseconds from when it was read. */
import type { Toxic } from '../toxic.js';

export const latency: Toxic = {
  type: 'latency',
  attributes: { latency: 0, jitter: 0 },
  waiting: 1024,
  async *piece(piece, { latency: base = 0, jitter = 0 }, flow) {
    const delay = base + (jitter > 0 ? (flow.random() * 2 - 1) * jitter : 0);
    await flow.pause(piece.at + delay - performance.now());
    yield piece;
  },
};
