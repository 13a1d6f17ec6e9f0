/** RST some time after the first data. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

export const resetPeer = toxicFault({
  type: 'reset_peer',
  description: 'RST some time after the first data, on connections made while it is armed',
  example: { after_ms: 0 },
  needs: ['after_ms'],
  attributes: ({ after_ms = 0 }) => ({ timeout: after_ms }),
  async effect(witness, { after_ms = 0 }, ms) {
    const seen = await probe(witness.address, { send: 10, ms: ms + after_ms, end: true });
    return seen.bytes === 0 && seen.end === 'reset';
  },
});
