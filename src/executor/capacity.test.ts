import assert from 'node:assert/strict';
import { Capacity } from './capacity.js';

describe('running slots', () => {
  it('are scarce in the last quarter, of all or of the caller’s, and always when one is left', () => {
    const capacity = new Capacity(8, [
      { peer: 'oab-a', maxRunning: 8 },
      { peer: 'oab-b', maxRunning: 1 },
    ]);
    assert.equal(capacity.scarce('oab-b'), true);
    assert.equal(capacity.scarce('nobody'), true);
    const taken = Array.from({ length: 5 }, () => capacity.take('oab-a'));
    assert.equal(capacity.scarce('oab-a'), false);
    const sixth = capacity.take('oab-a');
    assert.equal(capacity.scarce('oab-a'), true);
    sixth?.();
    assert.equal(capacity.scarce('oab-a'), false);
    for (const release of taken) release?.();
    assert.equal(capacity.total, 0);
  });
});
