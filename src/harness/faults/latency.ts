/** Each piece is delayed, with jitter. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

export const latency = toxicFault({
  type: 'latency',
  description: 'each piece is delayed, with jitter',
  example: { latency_ms: 100 },
  needs: ['latency_ms'],
  attributes: ({ latency_ms = 0, jitter_ms = 0 }) => ({ latency: latency_ms, jitter: jitter_ms }),
  async effect(witness, { latency_ms = 0, jitter_ms = 0 }, ms) {
    const seen = await probe(witness.address, { send: 10, ms: ms + latency_ms });
    return seen.bytes === 10 && seen.ms >= latency_ms - jitter_ms - 2;
  },
});
