/** At most so many kilobytes a second. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

/** Toxiproxy lets slices of 100 ms through; what is measured has to be longer. */
const MEASURED_MS = 300;

export const bandwidth = toxicFault({
  type: 'bandwidth',
  description: 'at most so many kilobytes a second',
  example: { rate: 100 },
  needs: ['rate'],
  attributes: ({ rate = 0 }) => ({ rate }),
  async effect(witness, { rate = 0 }, ms) {
    const send = Math.min(rate * MEASURED_MS, 8_000_000);
    const seen = await probe(witness.address, { send, ms: ms + MEASURED_MS });
    return seen.bytes === send && seen.ms >= send / rate - 110;
  },
});
