import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { timeLimit } from './time-limit.js';

describe('a time limit', () => {
  it('comes, whatever the garbage collector does', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { signal } = timeLimit(100, new AbortController().signal);
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    if (!signal.aborted) await once(signal, 'abort');
    assert.equal(signal.aborted, true);
  });

  it('comes early with the other signal, and not at all once it has ended', async () => {
    const other = new AbortController();
    const limit = timeLimit(60_000, other.signal);
    const ended = timeLimit(1, other.signal);
    ended.end();
    other.abort();
    assert.deepEqual([limit.signal.aborted, ended.signal.aborted], [true, false]);
    assert.equal(timeLimit(60_000, other.signal).signal.aborted, true);
    limit.end();
  });
});
