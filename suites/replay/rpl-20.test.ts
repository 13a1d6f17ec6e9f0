import assert from 'node:assert/strict';
import { cameOf, raced } from './rpl-20.js';

describe('the race of subscribers and the end', () => {
  it('tells who came before, during and after it', () => {
    assert.deepEqual(
      [9, 10, 20, 21].map((began) => cameOf(began, 10, 20)),
      ['before', 'during', 'during', 'after'],
    );
  });

  it('is none without somebody before it and somebody during it', () => {
    assert.equal(raced({ before: 1, during: 1, after: 0 }), undefined);
    assert.match(String(raced({ before: 0, during: 5, after: 5 })), /0 subscribers came before/);
    assert.match(String(raced({ before: 5, during: 0, after: 5 })), /0 during/);
  });
});
