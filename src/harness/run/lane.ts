/** Where checks run, one after the other: a lane in this process. Others are processes of their own that hold one. */
import Mocha from 'mocha';
import type { CaseResult, CheckOutcome, CheckResult } from '../check.js';
import { startCanary } from '../lab/canary.js';
import { sharedInjector } from '../lab/lab.js';
import { attempt, type Surroundings } from './attempt.js';
import { Cells } from './cells.js';
import { Evidence } from './evidence.js';
import { ExplainFailures } from './explain.js';
import type { RunOptions } from './options.js';
import type { PlannedCase, PlannedCheck } from './plan.js';

/** What a lane tells while it runs a check. */
export type LaneEvent = { kind: 'started'; id: string } | { kind: 'finished'; result: CaseResult };

export interface Lane {
  /** One at a time. Rejects when the lane itself is broken: then nothing is known of the check. */
  run(check: PlannedCheck, tell: (event: LaneEvent) => void): Promise<CheckResult>;
  /** Ends what the lane started; resolves with the fault injector that it used. */
  close(): Promise<string>;
}

export const NO_INJECTOR = 'none';

/** Its cells' shared executors start with the first check that wants one. */
export async function openLane(options: RunOptions): Promise<Lane> {
  const canary = await startCanary();
  const cells = new Cells(options);
  let repeats = 0;
  const again = () => {
    repeats += 1;
    return repeats;
  };
  const surroundings: Surroundings = { options, canary, cells, again };
  const failures = new ExplainFailures(surroundings);
  return {
    run: (check, tell) => runCheck(check, surroundings, failures, tell),
    async close() {
      try {
        await cells.close();
        const injector = await sharedInjector.used();
        return injector === undefined ? NO_INJECTOR : `${injector.kind} ${injector.version}`;
      } finally {
        await canary.close();
        await sharedInjector.close();
      }
    },
  };
}

/** Every case is a mocha test. */
async function runCheck(
  check: PlannedCheck,
  surroundings: Surroundings,
  failures: ExplainFailures,
  tell: (event: LaneEvent) => void,
): Promise<CheckResult> {
  const { options } = surroundings;
  const results: CaseResult[] = [];
  const mocha = new Mocha({ reporter: class {} as never, timeout: 0, forbidPending: false });
  const suite = Mocha.Suite.create(
    mocha.suite,
    `${check.criterion} ${check.cell.binding} ${check.cell.topology}`,
  );
  for (const one of check.cases) {
    suite.addTest(
      new Mocha.Test(one.id, async () => {
        tell({ kind: 'started', id: one.id });
        const broken = results.find(({ outcome }) => outcome === 'failed');
        const result =
          options.failFast === true && broken !== undefined
            ? passedOver(one.id, broken.id)
            : await runCase(check, one, surroundings, failures);
        results.push(result);
        tell({ kind: 'finished', result });
        // Mocha keeps its own account: its count and ours must agree, or something of the harness is wrong.
        if (result.outcome === 'failed') throw new Error(result.reason);
      }),
    );
  }
  const counted = await new Promise<number>((resolve) => mocha.run(resolve));
  mocha.dispose();
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  if (counted !== failed) throw new Error(`mocha counts ${counted} failures, the harness ${failed}`);
  return gather(check, results);
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

/** A check is as bad as the worst of its cases. */
function gather({ criterion, cell }: PlannedCheck, cases: CaseResult[]): CheckResult {
  const duration_ms = cases.reduce((sum, one) => sum + one.duration_ms, 0);
  const order: CheckOutcome[] = ['failed', 'undetermined', 'not_run', 'not_exercised', 'passed'];
  const outcome = order.find((one) => cases.some((result) => result.outcome === one)) ?? 'not_run';
  const reason = cases.find((result) => result.outcome === outcome)?.reason;
  return { criterion, cell, outcome, ...(reason === undefined ? {} : { reason }), cases, duration_ms };
}
