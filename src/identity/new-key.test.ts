import assert from 'node:assert/strict';
import { newKey } from './new-key.js';

describe('a new key', () => {
  it('has an id that no command line takes for an option', () => {
    const ids = Array.from({ length: 600 }, () => newKey(0).kid);
    assert.deepEqual(
      ids.filter((kid) => kid.startsWith('-')),
      [],
    );
  });
});
