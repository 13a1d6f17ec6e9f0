import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Random, randomFor } from './seed.js';

/** A schedule as a case would draw it: offsets, an order, a choice, noise. */
function schedule(random: Random): string {
  return JSON.stringify([
    random.sample(64, 0, 5000),
    random.shuffle(['reset', 'fin', 'half-close', 'silence']),
    random.pick([1, 2, 3, 4, 5]),
    random.bytes(40).toString('hex'),
    random.float(),
    random.int(-3, 3),
  ]);
}

describe('seeded choices', () => {
  const scope = {
    seed: '42',
    case: 'RPL-03/JSONRPC/direct/reset',
    link: 'ab',
    direction: 'downstream',
    index: 3,
  };

  it('give the same schedule for the same seed, pinned across versions', () => {
    assert.equal(schedule(randomFor(scope)), schedule(randomFor({ ...scope })));
    assert.equal(randomFor(scope).bytes(8).toString('hex'), '6ed4226f365f9a3d');
  });

  it('differ as soon as one part of the address differs', () => {
    const others = [
      { ...scope, seed: '43' },
      { ...scope, case: 'RPL-04' },
      { ...scope, link: 'a' },
      { ...scope, direction: 'upstream' },
      { ...scope, index: 4 },
      { ...scope, link: 'abdownstream', direction: '' },
    ];
    const all = [scope, ...others].map((one) => schedule(randomFor(one)));
    assert.equal(new Set(all).size, all.length);
  });

  it('do not depend on how the bytes are asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 10 }), (lengths) => {
        const pieces = randomFor(scope);
        const whole = randomFor(scope).bytes(lengths.reduce((sum, length) => sum + length, 0));
        assert.deepEqual(Buffer.concat(lengths.map((length) => pieces.bytes(length))), whole);
      }),
    );
  });

  it('stay in range and miss nothing of a small range', () => {
    const random = randomFor(scope);
    const seen = new Set(Array.from({ length: 400 }, () => random.int(2, 6)));
    assert.deepEqual([...seen].sort(), [2, 3, 4, 5, 6]);
    const floats = Array.from({ length: 400 }, () => random.float());
    assert.ok(floats.every((value) => value >= 0 && value < 1));
    assert.throws(() => random.int(3, 2), RangeError);
    assert.throws(() => random.pick([]), RangeError);
  });

  it('sample different numbers in order, all of them from a range too small', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 40 }), (count, width) => {
        const drawn = randomFor({ seed: `${count}`, case: `${width}` }).sample(count, 5, 5 + width);
        assert.equal(drawn.length, Math.min(count, width + 1));
        assert.deepEqual(
          [...new Set(drawn)].sort((a, b) => a - b),
          drawn,
        );
        assert.ok(drawn.every((value) => value >= 5 && value <= 5 + width));
      }),
    );
  });

  it('shuffle keeps every item once', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const shuffled = randomFor(scope).shuffle(items);
    assert.notDeepEqual(shuffled, items);
    assert.deepEqual(
      shuffled.toSorted((a, b) => a - b),
      items,
    );
  });
});
