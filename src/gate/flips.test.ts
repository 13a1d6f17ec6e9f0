import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CheckOutcome, CheckResult } from '../harness/check.js';
import { BINDINGS, type BindingName } from '../profile/names.js';
import { cellsOf } from './criterion.js';
import { type Flip, flips, withFlips } from './flips.js';
import { walkOrder } from './order.js';
import { criterionOf } from './registry.js';
import { walk } from './walk.js';

/** One criterion of each gate, one that the A2A bindings alone have, and one that is run once. */
const CRITERIA = ['RPL-02', 'RLY-11', 'PRF-12', 'PRF-27', 'PRF-15'];
const never = () => false;
const usual = walkOrder([]);

function checksOf(outcome: (criterion: string, binding: BindingName) => CheckOutcome): CheckResult[] {
  return CRITERIA.flatMap((criterion) =>
    cellsOf(criterionOf(criterion), BINDINGS, ['direct', 'dual-outbound']).map((cell) => ({
      criterion,
      cell,
      outcome: outcome(criterion, cell.binding),
      cases: [],
      duration_ms: 1,
    })),
  );
}

const decided = (checks: CheckResult[]) => JSON.stringify(walk(checks, never, usual));

const anyChecks = fc
  .array(fc.constantFrom<CheckOutcome>('passed', 'passed', 'failed', 'undetermined', 'not_run'), {
    minLength: 32,
    maxLength: 32,
  })
  .map((outcomes) => {
    let next = 0;
    return checksOf(() => outcomes[next++ % outcomes.length] ?? 'passed');
  });

describe('the counterfactual', () => {
  it('changes the decision when what it names has come true, from any results', () => {
    fc.assert(
      fc.property(anyChecks, (checks) => {
        const set = flips(checks, never, usual).map((flip) =>
          flip.criterion === '*' ? { ...flip, criterion: 'RPL-02' } : flip,
        );
        assert.notEqual(set.length, 0);
        assert.notEqual(decided(withFlips(checks, set)), decided(checks));
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  it('is no larger than need be: no single criterion that failed or is open does what it takes several for', () => {
    const singles: Flip[] = CRITERIA.flatMap((criterion) =>
      BINDINGS.flatMap((binding) =>
        (['passed', 'failed'] as const).map((outcome) => ({ criterion, binding, outcome })),
      ),
    );
    fc.assert(
      fc.property(anyChecks, (checks) => {
        if (flips(checks, never, usual).length < 2) return;
        const open = new Set(
          checks.filter(({ outcome }) => outcome !== 'passed').map(({ criterion }) => criterion),
        );
        for (const single of singles.filter(({ criterion }) => open.has(criterion))) {
          assert.equal(decided(withFlips(checks, [single])), decided(checks), JSON.stringify(single));
        }
      }),
      { numRuns: 500, seed: 6 },
    );
  });

  it('names one failure where the next candidate is proven, rather than all that this one lacks', () => {
    const checks = checksOf((criterion, binding) =>
      binding === 'JSONRPC' && criterion !== 'PRF-15' ? 'not_run' : 'passed',
    );
    const set = flips(checks, never, usual);
    assert.deepEqual(set, [{ criterion: 'RPL-02', binding: 'JSONRPC', outcome: 'failed' }]);
    assert.equal(walk(withFlips(checks, set), never, usual).binding, 'HTTP+JSON');
  });

  it('from custom asks for the failures alone, not for what else is open', () => {
    const checks = checksOf((criterion, binding) =>
      criterion === 'RPL-02' && binding !== 'OAB'
        ? 'failed'
        : criterion === 'PRF-12'
          ? 'undetermined'
          : 'passed',
    );
    const set = flips(checks, never, usual);
    assert.deepEqual(set, [{ criterion: 'RPL-02', binding: 'JSONRPC', outcome: 'passed' }]);
    assert.equal(walk(withFlips(checks, set), never, usual).decision, 'inconclusive');
  });

  it('has nothing to say against any one criterion of the binding that was chosen', () => {
    assert.deepEqual(
      flips(
        checksOf(() => 'passed'),
        never,
        usual,
      ),
      [{ criterion: '*', binding: 'JSONRPC', outcome: 'failed' }],
    );
  });
});
