import assert from 'node:assert/strict';
import { sha256 } from '../profile/canonical.js';
import type { TaskRow } from './journal.js';
import { reserved } from './reserved.js';

describe('the look-up of a reservation', () => {
  it('never takes a retry for a reuse of its own nonce, although its admission commits between the two reads', () => {
    const digest = sha256('r');
    let reads = 0;
    // The first read sees the store before the commit, whichever it is; the second one after it.
    const committed = () => ++reads > 1;
    const reader = {
      nonceTaken: () => committed(),
      reservation: () => (committed() ? ({ taskId: 't', requestDigest: digest } as TaskRow) : undefined),
    };
    assert.equal(reserved(reader, 'oab-a', 'r', digest, 'n')?.kind, 'duplicate');
  });
});
