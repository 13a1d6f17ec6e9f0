/** The end of a connection comes late. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

export const slowClose = toxicFault({
  type: 'slow_close',
  description: 'the end of a connection comes some time late',
  example: { after_ms: 150 },
  needs: ['after_ms'],
  attributes: ({ after_ms = 0 }) => ({ delay: after_ms }),
  async effect(witness, { after_ms = 0 }, ms) {
    const seen = await probe(witness.address, { send: 10, ms: ms + after_ms, close: true });
    return seen.bytes === 10 && seen.end !== 'open' && seen.ms >= after_ms - 2;
  },
});
