/** The connection closes once N bytes have passed. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

export const limitData = toxicFault({
  type: 'limit_data',
  description: 'the connection closes once N bytes have passed',
  example: { bytes: 100 },
  needs: ['bytes'],
  attributes: ({ bytes = 0 }) => ({ bytes }),
  async effect(witness, { bytes = 0, direction = 'downstream' }, ms) {
    const seen = await probe(witness.address, { send: bytes + 1, ms, end: true });
    // Cut on its way to the peer, the answer races the end of the connection.
    const all = direction === 'downstream' ? seen.bytes === bytes : seen.bytes <= bytes;
    return all && seen.end !== 'open';
  },
});
