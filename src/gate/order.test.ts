import assert from 'node:assert/strict';
import { walkOrder } from './order.js';

const USUAL = ['JSONRPC', 'HTTP+JSON', 'WSS'];
const SWAPPED = ['HTTP+JSON', 'JSONRPC', 'WSS'];

/** A ratio with an interval of two hundredths on either side. */
const ratio = (binding: string, value: number, more: Record<string, unknown> = {}, at = 'RLY-03') => ({
  case: `${at}/${binding}/direct/load`,
  name: 'p50',
  better: 'lower',
  to_baseline: { ratio: value, low: value - 0.02, high: value + 0.02 },
  ...more,
});

describe('the order of the candidates', () => {
  it('is the usual one where nothing was measured', () => {
    assert.deepEqual(walkOrder([]), USUAL);
    assert.deepEqual(
      walkOrder([{ case: 'RLY-02/JSONRPC/direct/reconnect', name: 'reconnect', p95: 3 }]),
      USUAL,
    );
  });

  for (const [what, measured, order] of [
    [
      'everything is better by more than ten in a hundred',
      [ratio('JSONRPC', 1.5), ratio('HTTP+JSON', 1.2)],
      SWAPPED,
    ],
    [
      'it is better on average, but not beyond both intervals',
      [ratio('JSONRPC', 1.3), ratio('HTTP+JSON', 1.16)],
      USUAL,
    ],
    ['JSON-RPC is the better one', [ratio('JSONRPC', 1), ratio('HTTP+JSON', 2)], USUAL],
    [
      'one of several figures is not better',
      [
        ratio('JSONRPC', 1.5),
        ratio('HTTP+JSON', 1.2),
        ratio('JSONRPC', 1.5, { name: 'p95' }),
        ratio('HTTP+JSON', 1.5, { name: 'p95' }),
      ],
      USUAL,
    ],
    [
      'one criterion measured JSON-RPC alone',
      [ratio('JSONRPC', 1.5), ratio('HTTP+JSON', 1.2), ratio('JSONRPC', 9, {}, 'RLY-05')],
      USUAL,
    ],
    [
      'one criterion measured HTTP+JSON alone',
      [ratio('JSONRPC', 1.5), ratio('HTTP+JSON', 1.2), ratio('HTTP+JSON', 0.1, {}, 'RLY-05')],
      USUAL,
    ],
    [
      'more is better, and there is more',
      [ratio('JSONRPC', 0.8, { better: 'higher' }), ratio('HTTP+JSON', 1, { better: 'higher' })],
      SWAPPED,
    ],
    [
      'more is better, and there is less',
      [ratio('JSONRPC', 1, { better: 'higher' }), ratio('HTTP+JSON', 0.8, { better: 'higher' })],
      USUAL,
    ],
    [
      'what better means is not agreed',
      [ratio('JSONRPC', 1.5), ratio('HTTP+JSON', 1, { better: 'higher' })],
      USUAL,
    ],
    [
      'another gate measured it',
      [ratio('JSONRPC', 1.5, {}, 'RPL-20'), ratio('HTTP+JSON', 1, {}, 'RPL-20')],
      USUAL,
    ],
    ['another binding is better', [ratio('JSONRPC', 1.5), ratio('HTTP+JSON', 1.5), ratio('WSS', 0.5)], USUAL],
  ] as const)
    it(`is ${order === SWAPPED ? 'swapped' : 'the usual one'} where ${what}`, () =>
      assert.deepEqual(walkOrder(measured), order));
});
