import assert from 'node:assert/strict';
import type { CheckOutcome, CheckResult } from '../harness/check.js';
import { BINDINGS, type BindingName } from '../profile/names.js';
import { cellsOf } from './criterion.js';
import { decide, type Run } from './decide.js';
import { exitCode } from './exit-code.js';
import { registry, select } from './registry.js';
import { verdictSchema } from './verdict.js';

const TOPOLOGIES = ['direct', 'dual-outbound'] as const;

/** Every planned check of the whole gate, passed but for what `outcome` says. */
function whole(
  outcome: (criterion: string, binding: BindingName) => CheckOutcome = () => 'passed',
): CheckResult[] {
  return registry.flatMap((criterion) =>
    cellsOf(criterion, BINDINGS, TOPOLOGIES).map((cell) => ({
      criterion: criterion.id,
      cell,
      outcome: outcome(criterion.id, cell.binding),
      cases: [],
      duration_ms: 1,
    })),
  );
}

function run(checks: CheckResult[], more: Partial<Run> = {}): Run {
  return {
    checks,
    tradeoffs: [],
    narrowedBy: [],
    embeddedInjector: false,
    defect: null,
    seed: 1,
    subject: {},
    components: {},
    measurements: [],
    evidence: {},
    score: { defects_caught: 0, defects: 0, false_alarms: 0, peers: 0 },
    startedAt: '2026-12-01T00:00:00.000Z',
    durationMs: 1,
    ...more,
  };
}

const failing =
  (...bindings: BindingName[]) =>
  (criterion: string, binding: BindingName): CheckOutcome =>
    criterion === 'RPL-04' && bindings.includes(binding) ? 'failed' : 'passed';

describe('the verdict', () => {
  it('selects the first standard binding when everything passes (O-83)', () => {
    const verdict = decide(run(whole()));
    assert.equal(verdict.decision, 'a2a');
    assert.equal(verdict.binding, 'JSONRPC');
    assert.equal(verdict.interoperability_claim, 'a2a-1.0-standard-binding');
    assert.equal(exitCode(verdict, false), 0);
    verdictSchema.parse(JSON.parse(JSON.stringify(verdict)));
  });

  it('walks on when one binding is out, and reaches WSS only when no standard binding is left (O-155)', () => {
    assert.equal(decide(run(whole(failing('JSONRPC')))).binding, 'HTTP+JSON');
    const wss = decide(run(whole(failing('JSONRPC', 'HTTP+JSON'))));
    assert.equal(wss.binding, 'WSS');
    assert.equal(wss.interoperability_claim, 'a2a-1.0-custom-binding');
  });

  it('prefers HTTP+JSON to JSON-RPC where all that was measured of the Relay gate favours it', () => {
    const measured = (binding: BindingName, ratio: number) => ({
      case: `RLY-03/${binding}/direct/load`,
      name: 'p50',
      better: 'lower',
      to_baseline: { ratio, low: ratio * 0.99, high: ratio * 1.01 },
    });
    const measurements = [measured('JSONRPC', 1.5), measured('HTTP+JSON', 1.2)];
    const verdict = decide(run(whole(), { measurements }));
    assert.equal(verdict.binding, 'HTTP+JSON');
    assert.deepEqual(verdict.card_bindings, ['HTTP+JSON', 'JSONRPC', 'WSS']);
    assert.equal(decide(run(whole(failing('HTTP+JSON')), { measurements })).binding, 'JSONRPC');
  });

  it('records a failure with its criterion and selects the custom protocol when all are out (O-82, O-84)', () => {
    const verdict = decide(run(whole(failing('JSONRPC', 'HTTP+JSON', 'WSS'))));
    assert.equal(verdict.decision, 'custom');
    assert.equal(verdict.interoperability_claim, 'none');
    assert.equal(verdict.custom_protocol.deployable, true);
    assert.deepEqual(new Set(verdict.failed_criteria.map(({ criterion }) => criterion)), new Set(['RPL-04']));
    assert.equal(exitCode(verdict, false), 10);
  });

  it('says when the fallback itself failed, and that the criterion is not the wire’s fault', () => {
    const verdict = decide(run(whole(failing(...BINDINGS))));
    assert.equal(exitCode(verdict, false), 11);
    assert.deepEqual(verdict.core, ['RPL-04']);
  });

  it('stays inconclusive while the first binding that is not out is unproven', () => {
    const open = (criterion: string, binding: BindingName): CheckOutcome =>
      criterion === 'RPL-01' && binding === 'JSONRPC' ? 'not_run' : 'passed';
    const verdict = decide(run(whole(open)));
    assert.equal(verdict.decision, 'inconclusive');
    assert.deepEqual(verdict.flips, [{ criterion: 'RPL-01', binding: 'JSONRPC', outcome: 'passed' }]);
    assert.equal(exitCode(verdict, false), 20);
  });

  it('decides custom although something is undetermined, when all three are out', () => {
    const checks = whole((criterion, binding) =>
      criterion === 'RPL-06' && binding === 'OAB'
        ? 'undetermined'
        : failing('JSONRPC', 'HTTP+JSON', 'WSS')(criterion, binding),
    );
    const verdict = decide(run(checks));
    assert.equal(verdict.decision, 'custom');
    assert.equal(verdict.custom_protocol.deployable, false);
  });

  it('is provisional with the embedded injector or an absent load balancer, and exits 30 unless that is allowed', () => {
    for (const verdict of [
      decide(run(whole(), { embeddedInjector: true })),
      decide(run(whole((criterion) => (criterion === 'RLY-06' ? 'not_exercised' : 'passed')))),
    ]) {
      assert.equal(verdict.decision, 'a2a');
      assert.equal(verdict.provisional, true);
      assert.equal(exitCode(verdict, false), 30);
      assert.equal(exitCode(verdict, true), 0);
    }
  });

  it('takes no other not-exercised criterion for a pass', () => {
    const verdict = decide(run(whole((criterion) => (criterion === 'RPL-01' ? 'not_exercised' : 'passed'))));
    assert.equal(verdict.decision, 'inconclusive');
  });

  it('decides nothing when narrowed: 21, 22, 23', () => {
    const narrowed = { narrowedBy: ['--bindings'] };
    const clean = decide(run(whole(), narrowed));
    assert.equal(clean.decision, 'inconclusive');
    assert.deepEqual(clean.card_bindings, []);
    assert.equal(exitCode(clean, true), 21);
    assert.equal(exitCode(decide(run(whole(failing('WSS')), narrowed)), true), 22);
    const open = whole((criterion) => (criterion === 'PRF-01' ? 'not_run' : 'passed'));
    assert.equal(exitCode(decide(run(open, narrowed)), true), 23);
    assert.equal(exitCode(decide(run(whole(), { defect: 'x' })), true), 21);
  });

  it('lets a trade-off cover only its criterion, its cells and its time', () => {
    const checks = whole((criterion, binding) =>
      criterion === 'RLY-05' && binding === 'JSONRPC' ? 'failed' : 'passed',
    );
    const cells = TOPOLOGIES.map((topology) => ({ binding: 'JSONRPC' as const, topology }));
    const tradeoff = {
      criterion: 'RLY-05',
      cells,
      reason: 'r',
      accepted_by: 'a',
      expires: '2027-01-01',
    } as const;
    assert.equal(decide(run(checks, { tradeoffs: [tradeoff] })).binding, 'JSONRPC');
    assert.equal(
      decide(run(checks, { tradeoffs: [{ ...tradeoff, expires: '2026-11-30' }] })).binding,
      'HTTP+JSON',
    );
    assert.equal(
      decide(run(checks, { tradeoffs: [{ ...tradeoff, cells: cells.slice(0, 1) }] })).binding,
      'HTTP+JSON',
    );
  });

  it('counts every planned check exactly once', () => {
    const { totals } = decide(run(whole(failing('WSS'))));
    const { planned, ...rest } = totals;
    assert.equal(
      planned,
      Object.values(rest).reduce((sum, count) => sum + count, 0),
    );
  });
});

describe('cells', () => {
  it('are those of the contract', () => {
    const count = (cells: string) =>
      cellsOf({ ...registry[0]!, cells: cells as 'all' }, BINDINGS, TOPOLOGIES).length;
    assert.deepEqual(['all', 'D', 'X', 'A', 'AD', '1'].map(count), [8, 4, 4, 6, 3, 1]);
  });

  it('are selected by globs over ids', () => {
    assert.equal(select(['RPL-*']).length, 20);
    assert.equal(select(['PRF-0?', 'RLY-15']).length, 10);
    assert.deepEqual(select(['RPL-1']), []);
  });
});
