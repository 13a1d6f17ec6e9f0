/** Data is dropped; the connection closes after a time without any, or never. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

/** Without an end there is nothing to wait for but the absence of bytes. */
const SILENT_MS = 150;

export const timeout = toxicFault({
  type: 'timeout',
  description:
    'data is dropped; the connection closes after a time, or never; clearing it closes what it holds',
  example: { after_ms: 100 },
  needs: ['after_ms'],
  attributes: ({ after_ms = 0 }) => ({ timeout: after_ms }),
  async effect(witness, { after_ms = 0 }, ms) {
    const seen = await probe(witness.address, { send: 10, ms: after_ms === 0 ? SILENT_MS : ms + after_ms });
    if (seen.bytes > 0) return false;
    return after_ms === 0 ? seen.end === 'open' : seen.end !== 'open' && seen.sinceDial >= after_ms - 2;
  },
});
