import assert from 'node:assert/strict';
import { mintId } from './mint.js';

describe('a minted id', () => {
  it('sorts by time, differs within one, and fits what the profile allows', () => {
    const [first = '', second = ''] = [mintId('task', 0xfff), mintId('task', 0x1000)];
    assert.ok(first < second);
    assert.notEqual(mintId('task', 1), mintId('task', 1));
    assert.match(first, /^task-000000000fff-[0-9a-f-]{36}$/);
    assert.match(mintId('message', 1), /^[0-9a-f-]{36}$/);
  });
});
