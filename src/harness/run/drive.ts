/** Runs a plan as mocha tests, one per case, and gathers what became of each check. */
import Mocha from 'mocha';
import type { CaseResult, CheckOutcome, CheckResult } from '../check.js';
import type { Canary } from '../lab/ports.js';
import { attempt, type Surroundings } from './attempt.js';
import { Cells } from './cells.js';
import { Evidence } from './evidence.js';
import { ExplainFailures } from './explain.js';
import type { RunOptions } from './options.js';
import type { Plan, PlannedCase, PlannedCheck } from './plan.js';

/** Resolves with one result per planned check, in the plan's order. */
export async function drive(
  plan: Plan,
  { options, canary }: { options: RunOptions; canary: Canary },
): Promise<CheckResult[]> {
  const results = new Map<string, CaseResult>();
  const total = plan.checks.reduce((sum, { cases }) => sum + cases.length, 0);
  options.progress?.({
    kind: 'planned',
    checks: plan.checks.length,
    cases: total,
    estimateMs: plan.estimateMs,
  });

  const mocha = new Mocha({ reporter: class {} as never, timeout: 0, forbidPending: false });
  let repeats = 0;
  const again = () => {
    repeats += 1;
    return repeats;
  };
  const surroundings: Surroundings = { options, canary, cells: new Cells(options), again };
  const failures = new ExplainFailures(surroundings);
  for (const check of plan.checks) {
    if (check.cases.length === 0) continue;
    const suite = Mocha.Suite.create(
      mocha.suite,
      `${check.criterion} ${check.cell.binding} ${check.cell.topology}`,
    );
    for (const one of check.cases) {
      suite.addTest(
        new Mocha.Test(one.id, async () => {
          options.progress?.({ kind: 'started', id: one.id });
          const broken = check.cases.find(({ id }) => results.get(id)?.outcome === 'failed');
          const result =
            options.failFast === true && broken !== undefined
              ? passedOver(one.id, broken.id)
              : await runCase(check, one, surroundings, failures);
          results.set(one.id, result);
          options.progress?.({ kind: 'finished', result, done: results.size, of: total });
          // Mocha keeps its own account: its count and ours must agree, or something of the harness is wrong.
          if (result.outcome === 'failed') throw new Error(result.reason);
        }),
      );
    }
  }
  const counted = await new Promise<number>((resolve) => mocha.run(resolve));
  mocha.dispose();
  await surroundings.cells.close();
  const failed = [...results.values()].filter(({ outcome }) => outcome === 'failed').length;
  if (counted !== failed) throw new Error(`mocha counts ${counted} failures, the harness ${failed}`);
  return plan.checks.map((check) => gather(check, results));
}

async function runCase(
  check: PlannedCheck,
  one: PlannedCase,
  surroundings: Surroundings,
  failures: ExplainFailures,
): Promise<CaseResult> {
  const { options } = surroundings;
  const started = performance.now();
  const evidence = new Evidence(options.out, one.id);
  const secrets = new Set<string>();
  const common = {
    evidence,
    selection: options.selection,
    failed: (folders: readonly string[]) => failures.secretsIn(folders, secrets),
  };
  const whole = options.points?.whole(check.criterion) === true;
  let attempted = await attempt(check, one, surroundings, {
    ...common,
    points: options.points?.most(check.criterion),
    preferred: whole ? options.points?.preferred : undefined,
  });
  const sampled = attempted.sweeps.some(({ of, points }) => points.length < of);
  if (sampled && attempted.outcome !== 'failed' && whole)
    attempted = await attempt(check, one, surroundings, { ...common, repeat: surroundings.again() });
  const duration_ms = Math.round(performance.now() - started);
  const { outcome, reason, measurements } = attempted;
  if (outcome === 'failed') await failures.explain(check, one, attempted, evidence, secrets);
  return {
    id: one.id,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    attempts: attempted.attempts,
    evidence: evidence.files,
    ...(measurements.length === 0 ? {} : { measurements }),
    duration_ms,
  };
}

/** The check has failed already, and nothing that this case does could change that. */
function passedOver(id: string, failed: string): CaseResult {
  return {
    id,
    outcome: 'not_run',
    reason: `${failed} had failed already`,
    attempts: 0,
    evidence: [],
    duration_ms: 0,
  };
}

function gather(check: PlannedCheck, results: ReadonlyMap<string, CaseResult>): CheckResult {
  const { criterion, cell } = check;
  const cases = check.cases.flatMap(({ id }) => results.get(id) ?? []);
  const duration_ms = cases.reduce((sum, one) => sum + one.duration_ms, 0);
  if (!check.hasSuite) return { criterion, cell, outcome: 'not_run', reason: 'no_suite', cases, duration_ms };
  if (cases.length === 0)
    return { criterion, cell, outcome: 'not_run', reason: 'no case was chosen', cases, duration_ms };
  const order: CheckOutcome[] = ['failed', 'undetermined', 'not_run', 'not_exercised', 'passed'];
  const outcome = order.find((one) => cases.some((result) => result.outcome === one)) ?? 'not_run';
  const reason = cases.find((result) => result.outcome === outcome)?.reason;
  return { criterion, cell, outcome, ...(reason === undefined ? {} : { reason }), cases, duration_ms };
}
