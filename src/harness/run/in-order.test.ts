import assert from 'node:assert/strict';
import { inOrder } from './in-order.js';

describe('things done in order', () => {
  it('run several at a time and are told in their order', async () => {
    const gates = new Map<number, () => void>();
    let most = 0;
    let running = 0;
    const told: number[] = [];
    const all = inOrder(
      [0, 1, 2],
      2,
      async (item) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => gates.set(item, resolve));
        running -= 1;
        return item;
      },
      (item) => told.push(item),
    );
    gates.get(1)?.();
    await new Promise(setImmediate);
    // The second is done, the third has begun, and nothing is told before the first.
    assert.deepEqual([told, [...gates.keys()]], [[], [0, 1, 2]]);
    gates.get(0)?.();
    gates.get(2)?.();
    assert.deepEqual(await all, [0, 1, 2]);
    assert.deepEqual([told, most], [[0, 1, 2], 2]);
  });

  it('begin with the longest, and keep the order of those that are as long', async () => {
    const begun: number[] = [];
    const told: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      return item;
    };
    const weight = (item: number) => (item === 2 ? 9 : 1);
    await inOrder([0, 1, 2, 3], 1, work, (item) => told.push(item), weight);
    assert.deepEqual(
      [begun, told],
      [
        [2, 0, 1, 3],
        [0, 1, 2, 3],
      ],
    );
  });

  it('start nothing more once one run came to nothing', async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      if (item === 0) throw new Error('no verdict');
    };
    await assert.rejects(
      inOrder([0, 1, 2, 3], 1, work, () => {}),
      /no verdict/,
    );
    assert.deepEqual(begun, [0]);
  });
});
