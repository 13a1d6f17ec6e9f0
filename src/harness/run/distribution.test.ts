import assert from 'node:assert/strict';
import { distribution } from './distribution.js';

describe('a distribution', () => {
  it('gives measured values by nearest rank', () => {
    const values = Array.from({ length: 40 }, (_, index) => 40 - index);
    assert.deepEqual(distribution(values), { n: 40, p50: 20, p95: 38, max: 40 });
    assert.deepEqual(distribution([7]), { n: 1, p50: 7, p95: 7, max: 7 });
    assert.throws(() => distribution([]), RangeError);
  });
});
