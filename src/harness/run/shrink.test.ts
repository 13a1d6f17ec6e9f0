import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Undetermined } from '../check.js';
import { shrink } from './shrink.js';
import { Sweeps } from './sweeps.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('shrinking', () => {
  it('finds the one point that fails, in few tries', async () => {
    const { points, tests, complete } = await shrink(upTo(64), async (part) => part.includes(41));
    assert.deepEqual({ points, complete }, { points: [41], complete: true });
    assert.ok(tests <= 2 * Math.log2(64), `${tests} tries`);
  });

  it('keeps whatever points fail only together, and nothing else', () =>
    fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 1, max: 40 })
          .chain((count) =>
            fc.tuple(fc.constant(count), fc.uniqueArray(fc.nat(count - 1), { minLength: 1, maxLength: 4 })),
          ),
        async ([count, culprits]) => {
          const { points, complete } = await shrink(upTo(count), async (part) =>
            culprits.every((one) => part.includes(one)),
          );
          assert.deepEqual(
            points,
            [...culprits].sort((a, b) => a - b),
          );
          assert.ok(complete);
        },
      ),
    ));

  it('is the same each time', async () => {
    const run = async () => {
      const asked: number[][] = [];
      await shrink(upTo(17), async (part) => {
        asked.push(part);
        return part.includes(3) && part.includes(12);
      });
      return asked;
    };
    assert.deepEqual(await run(), await run());
  });

  it('stops with the best that it has when the time is out', async () => {
    let left = 3;
    const result = await shrink(upTo(16), async (part) => {
      left -= 1;
      return left < 0 ? undefined : part.includes(0);
    });
    assert.deepEqual(result, { points: [0, 1], tests: 4, complete: false });
  });

  it('leaves the whole when no part of it fails', async () => {
    const { points, complete } = await shrink(upTo(5), async () => false);
    assert.deepEqual({ points, complete }, { points: upTo(5), complete: true });
  });
});

describe('the sweeps of a case', () => {
  it('are tried whole, or only where they are asked to, under the indexes that they have', () => {
    assert.deepEqual(new Sweeps().choose('cuts', ['a', 'b']), [
      { index: 0, point: 'a' },
      { index: 1, point: 'b' },
    ]);
    const narrowed = new Sweeps({ cuts: [2, 0] });
    assert.deepEqual(
      narrowed.choose('cuts', ['a', 'b', 'c']).map(({ point }) => point),
      ['a', 'c'],
    );
    assert.equal(narrowed.choose('constructor', ['x']).length, 1);
    assert.deepEqual(
      narrowed.taken.map(({ name, of, points }) => [name, of, points.length]),
      [
        ['cuts', 3, 2],
        ['constructor', 1, 1],
      ],
    );
  });

  it('are sampled where nothing else is said of them', () => {
    const sweeps = new Sweeps({ cuts: [1] }, (name, points) =>
      name === 'rounds' ? [points.length - 1] : [],
    );
    assert.deepEqual(sweeps.choose('cuts', ['a', 'b']), [{ index: 1, point: 'b' }]);
    assert.deepEqual(sweeps.choose('rounds', ['a', 'b', 'c']), [{ index: 2, point: 'c' }]);
  });

  it('refuse a selection that is not theirs, and a name twice', () => {
    assert.throws(() => new Sweeps({ cuts: [3] }).choose('cuts', ['a']), Undetermined);
    const sweeps = new Sweeps();
    sweeps.choose('cuts', []);
    assert.throws(() => sweeps.choose('cuts', []), /two sweeps/);
  });
});
