import assert from 'node:assert/strict';
import { play } from './plan.js';

describe('a plan of the benchmark', () => {
  it('says its texts, and a held one as many more as it is told', async () => {
    const told = [3, 2, 0];
    const asked: string[] = [];
    const plan = { say: 'chunk', count: 40, bytes: 5, held: 'h' } as const;
    const said: string[] = [];
    for await (const text of play(plan, async (held) => {
      asked.push(held);
      return told.shift() ?? 0;
    }))
      said.push(text);
    assert.deepEqual(said, Array(45).fill('xxxxx'));
    assert.deepEqual(asked, ['h', 'h', 'h']);
  });
});
