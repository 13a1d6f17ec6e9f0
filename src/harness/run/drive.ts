/** Runs a plan as mocha tests, one per case, and gathers what became of each check. */
import Mocha from 'mocha';
import {
  type CaseResult,
  type CheckOutcome,
  type CheckResult,
  NotExercised,
  Undetermined,
  Violation,
} from '../check.js';
import { Canaries } from '../checkers/canaries.js';
import type { Finding } from '../checkers/finding.js';
import { DeadlinePassed, within } from '../lab/deadline.js';
import { openLab } from '../lab/lab.js';
import type { Canary, Lab } from '../lab/ports.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import { referenceExecutor } from '../subjects/reference-executor.js';
import { CaseLab } from './case-lab.js';
import { Evidence } from './evidence.js';
import type { RunOptions } from './options.js';
import type { Plan, PlannedCase, PlannedCheck } from './plan.js';
import { Recorder } from './record/recorder.js';

/** For checking what a case recorded. */
const CHECK_MS = 15_000;
/** For taking a case's processes and links down. */
const CLOSE_MS = 15_000;

interface Surroundings {
  options: RunOptions;
  canary: Canary;
}

/** Resolves with one result per planned check, in the plan's order. */
export async function drive(plan: Plan, surroundings: Surroundings): Promise<CheckResult[]> {
  const { options } = surroundings;
  const results = new Map<string, CaseResult>();
  const total = plan.checks.reduce((sum, { cases }) => sum + cases.length, 0);
  options.progress?.({
    kind: 'planned',
    checks: plan.checks.length,
    cases: total,
    estimateMs: plan.estimateMs,
  });

  const mocha = new Mocha({ reporter: class {} as never, timeout: 0, forbidPending: false });
  const cells = new Cells(options);
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
          const result = await runCase(check, one, cells, surroundings);
          results.set(one.id, result);
          options.progress?.({ kind: 'finished', result, done: results.size, of: total });
          // Mocha keeps its own account: its count and ours must agree, or something of the harness is wrong.
          if (result.outcome === 'failed') throw new Error(result.reason);
        }),
      );
    }
  }
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  mocha.dispose();
  await cells.close();
  const failed = [...results.values()].filter(({ outcome }) => outcome === 'failed').length;
  if (failures !== failed) throw new Error(`mocha counts ${failures} failures, the harness ${failed}`);
  return plan.checks.map((check) => gather(check, results));
}

async function runCase(
  check: PlannedCheck,
  { id, spec }: PlannedCase,
  cells: Cells,
  { options, canary }: Surroundings,
): Promise<CaseResult> {
  const started = performance.now();
  const evidence = new Evidence(options.out, id);
  const lab = await openLab({ caseId: id, seed: String(options.seed) });
  const shared = { executor: () => cells.executor(check) };
  const recorder = new Recorder(cells.canaries);
  const caseLab = new CaseLab(id, check.cell, lab, shared, evidence, options.defect, recorder);
  let outcome: CheckOutcome = 'passed';
  let reason: string | undefined;
  try {
    await within(spec.run(caseLab), spec.deadlineMs, 'hang');
    const died = lab.unaskedExits();
    if (died.length > 0) throw new Violation(died.join('; '));
  } catch (error) {
    ({ outcome, reason } = judge(error, canary, started, spec.deadlineMs, [
      ...lab.unaskedExits(),
      ...cells.unaskedExits(check),
    ]));
    for (const [name, text] of Object.entries({ ...lab.evidence(), ...cells.evidence(check) }))
      evidence.write(name, text);
    evidence.write(
      'failure.txt',
      `${id}\nseed ${options.seed}\n${outcome}: ${reason}\n${(error as Error).stack ?? ''}\n`,
    );
  }
  const found = await within(recorder.findings(), CHECK_MS, 'the history checkers');
  const [first] = found;
  if (first !== undefined) {
    evidence.write('findings.json', found);
    // Whatever else the case came to: these bytes were received, and they break a rule.
    if (outcome !== 'failed') [outcome, reason] = ['failed', foundReason(first, found.length)];
  }
  await within(lab.close(), CLOSE_MS, 'closing the case’s lab').catch((error: Error) =>
    evidence.write('close.txt', error.message),
  );
  return {
    id,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    attempts: Math.max(1, caseLab.attempts),
    evidence: evidence.files,
    duration_ms: Math.round(performance.now() - started),
  };
}

/** From what a case threw to its outcome; a late host or a foreign signal is not the subject's failure. */
function judge(
  error: unknown,
  canary: Canary,
  since: number,
  deadlineMs: number,
  deaths: string[],
): { outcome: CheckOutcome; reason: string } {
  const message = (error as Error).message ?? String(error);
  const foreign = deaths.find((death) => /out of memory|did not send/.test(death));
  if (error instanceof NotExercised) return { outcome: 'not_exercised', reason: message };
  if (error instanceof Undetermined) return { outcome: 'undetermined', reason: message };
  if (foreign !== undefined) return { outcome: 'undetermined', reason: `${foreign}; ${message}` };
  if (error instanceof Violation) return { outcome: 'failed', reason: message };
  if (error instanceof DeadlinePassed) {
    if (canary.late(since, deadlineMs))
      return { outcome: 'undetermined', reason: `the host was late: ${message}` };
    return {
      outcome: 'failed',
      reason: message.startsWith('hang') ? `hang: not done within ${deadlineMs} ms` : message,
    };
  }
  return { outcome: 'failed', reason: `unexpected: ${(error as Error).name ?? 'error'} ${message}` };
}

/** The case's reason when only the history checkers found something. */
function foundReason({ rule, subject, what }: Finding, count: number): string {
  return `history (${rule}) of ${subject}: ${what}${count > 1 ? ` (and ${count - 1} more)` : ''}`;
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

/** The executors that the cases of one cell share, each in a lab that lives as long as the run. */
class Cells {
  /** Whose mark is whose, in all cases of the run. */
  readonly canaries = new Canaries();
  readonly #options: RunOptions;
  readonly #open = new Map<string, Promise<{ lab: Lab; executor: ExecutorSubject }>>();
  readonly #labs = new Map<string, Lab>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async executor({ cell }: PlannedCheck): Promise<ExecutorSubject> {
    const key = keyOf(cell);
    let open = this.#open.get(key);
    if (open === undefined) {
      open = this.#start(key);
      this.#open.set(key, open);
    }
    return (await open).executor;
  }

  async #start(key: string): Promise<{ lab: Lab; executor: ExecutorSubject }> {
    const lab = await openLab({ caseId: `shared/${key}`, seed: String(this.#options.seed) });
    this.#labs.set(key, lab);
    return { lab, executor: await referenceExecutor(lab, 'executor', {}, this.#options.defect) };
  }

  unaskedExits({ cell }: PlannedCheck): string[] {
    return this.#labs.get(keyOf(cell))?.unaskedExits() ?? [];
  }

  evidence({ cell }: PlannedCheck): Record<string, string> {
    const all = this.#labs.get(keyOf(cell))?.evidence() ?? {};
    return Object.fromEntries(Object.entries(all).map(([name, text]) => [`shared-${name}`, text]));
  }

  async close(): Promise<void> {
    for (const lab of this.#labs.values()) await lab.close();
  }
}

function keyOf({ binding, topology }: PlannedCheck['cell']): string {
  return `${binding}/${topology}`;
}
