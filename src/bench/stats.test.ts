import assert from 'node:assert/strict';
import { isMet, ratios, spread } from './stats.js';

describe('the figures of a measurement', () => {
  it('are the median and the extremes, whatever the order', () => {
    assert.deepEqual(spread([5, 1, 3]), { median: 3, min: 1, max: 5 });
    assert.deepEqual(spread([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 });
    assert.throws(() => spread([]), RangeError);
  });

  it('divide round by round', () => {
    assert.deepEqual(ratios([10, 40], [5, 10]), [2, 4]);
  });

  it('meet an aim at its bound, and never as no number', () => {
    assert.equal(isMet({ of: 'ratio', least: 1 }, 1), true);
    assert.equal(isMet({ of: 'ratio', least: 1 }, 0.99), false);
    assert.equal(isMet({ of: 'first', most: 1 }, 1.01), false);
    assert.equal(isMet({ of: 'ratio', least: 0, most: 9 }, Number.NaN), false);
  });
});
