/** One case, run once: in a laboratory of its own, judged by itself and by the histories that it recorded. */
import { type CheckOutcome, type Measurement, Violation } from '../check.js';
import type { Finding } from '../checkers/finding.js';
import { within } from '../lab/deadline.js';
import { openLab } from '../lab/lab.js';
import type { Canary, Link } from '../lab/ports.js';
import { CaseLab } from './case-lab.js';
import type { Cells } from './cells.js';
import type { Evidence } from './evidence.js';
import { judge, judgeFindings } from './judge.js';
import type { RunOptions } from './options.js';
import type { PlannedCase, PlannedCheck } from './plan.js';
import type { Exchange } from './record/exchanges.js';
import type { Step } from './schedule.js';
import type { Selection, SweepTaken } from './sweeps.js';

/** For checking what a case recorded. */
const CHECK_MS = 15_000;
/** For taking a case's processes and links down. */
const CLOSE_MS = 15_000;

export interface Surroundings {
  options: RunOptions;
  canary: Canary;
  cells: Cells;
  /** Numbers the further runs of cases: each has scripts of its own. */
  again(): number;
}

export interface Attempted {
  outcome: CheckOutcome;
  reason: string | undefined;
  findings: readonly Finding[];
  sweeps: readonly SweepTaken[];
  steps: readonly Step[];
  exchanges: readonly Exchange[];
  /** Closed by now; their recordings stay. */
  links: readonly Link[];
  attempts: number;
  measurements: Measurement[];
}

export interface AttemptOptions {
  evidence: Evidence;
  selection?: Selection | undefined;
  /** At most so many points of each sweep that is not selected, and which of them first. */
  points?: number | undefined;
  preferred?: ((point: unknown) => boolean) | undefined;
  /** Tells this run from others of the case on the same shared executors. */
  repeat?: number;
  deadlineMs?: number;
  /** Called after a failure while the case's files are still there. */
  failed?(folders: readonly string[]): void;
}

/** Never rejects for what the case or its subject does. */
export async function attempt(
  check: PlannedCheck,
  { id, spec }: PlannedCase,
  { options, canary, cells }: Surroundings,
  {
    evidence,
    selection,
    points,
    preferred,
    repeat = 0,
    deadlineMs = spec.deadlineMs,
    failed,
  }: AttemptOptions,
): Promise<Attempted> {
  const started = performance.now();
  const lab = await openLab({ caseId: id, seed: String(options.seed) });
  const caseLab = new CaseLab(
    id,
    check.cell,
    lab,
    { executor: (speaks) => cells.executor(check, speaks) },
    evidence,
    options.defect,
    {
      canaries: cells.canaries,
      selection,
      points,
      preferred,
      hostLate: () => canary.worstSince(started),
      repeat,
    },
  );
  let outcome: CheckOutcome = 'passed';
  let reason: string | undefined;
  try {
    await within(spec.run(caseLab), deadlineMs, 'hang');
    const died = lab.unaskedExits();
    if (died.length > 0) throw new Violation(died.join('; '));
  } catch (error) {
    const deaths = [...lab.unaskedExits(), ...cells.unaskedExits(check)];
    ({ outcome, reason } = judge(error, canary, started, deadlineMs, deaths));
    for (const [name, text] of Object.entries({ ...lab.evidence(), ...cells.evidence(check) }))
      evidence.write(name, text);
    evidence.write(
      'failure.txt',
      `${id}\nseed ${options.seed}\n${outcome}: ${reason}\n${(error as Error).stack ?? ''}\n`,
    );
  }
  const findings = await within(caseLab.recorder.findings(), CHECK_MS, 'the history checkers');
  if (findings.length > 0) evidence.write('findings.json', findings);
  // Whatever else the case came to: these bytes were received, and they break a rule.
  if (outcome !== 'failed') ({ outcome, reason } = judgeFindings(findings) ?? { outcome, reason });
  if (outcome === 'failed') failed?.([lab.folder, ...[cells.folder(check) ?? []].flat()]);
  await within(lab.close(), CLOSE_MS, 'closing the case’s lab').catch((error: Error) =>
    evidence.write('close.txt', error.message),
  );
  return {
    outcome,
    reason,
    findings,
    sweeps: caseLab.sweeps.taken,
    steps: caseLab.schedule.steps,
    exchanges: caseLab.recorder.exchanges.last,
    links: caseLab.recorder.links,
    attempts: Math.max(1, caseLab.attempts),
    measurements: caseLab.measurements,
  };
}
