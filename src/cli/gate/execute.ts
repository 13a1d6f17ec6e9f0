/** From flags to a verdict on disk: criteria, run, evidence, decision, reports. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { suites } from '../../../suites/index.js';
import { cellsOf } from '../../gate/criterion.js';
import { decide } from '../../gate/decide.js';
import { registry, select } from '../../gate/registry.js';
import { type Tradeoff, tradeoffSchema, type Verdict } from '../../gate/verdict.js';
import type { CheckResult } from '../../harness/check.js';
import { BYSTANDER_POINTS, bystandersOf, oneCaseOfBystanders } from '../../harness/defects/bystanders.js';
import type { Defect } from '../../harness/defects/defect.js';
import { defects } from '../../harness/defects/registry.js';
import type { Progress, RunOptions } from '../../harness/run/options.js';
import { run } from '../../harness/run/run.js';
import type { Selection } from '../../harness/run/sweeps.js';
import { VERSION } from '../../peer/version.js';
import { BINDINGS } from '../../profile/names.js';
import { decisionKey } from '../../report/decision-key.js';
import { sealEvidence } from '../../report/evidence.js';
import { writeReports } from '../../report/write.js';
import { UsageError } from '../usage-error.js';
import { GATES, TOPOLOGIES } from './options.js';
import type { RunFlags } from './run.js';
import { NO_SCORE, readScore } from './score.js';

export interface Executed {
  verdict: Verdict;
  checks: CheckResult[];
  files: string[];
}

/** For `oab-gate replay`: one case, and only these points of its sweeps. */
export interface Narrowed {
  only(caseId: string): boolean;
  selection?: Selection;
}

/** One failed case may take half of the time that is given to all of them. */
const SHRINK_SHARE = 2;

export async function execute(
  flags: RunFlags,
  progress: (event: Progress) => void,
  narrowed?: Narrowed,
): Promise<Executed> {
  const defect = defects.find(({ id }) => id === flags.defect);
  if (flags.defect !== undefined && defect === undefined) {
    throw new UsageError(`no defect ${flags.defect}; "oab-gate list defects" shows them all`);
  }
  // A defect's run is its own criteria and the bystanders, unless others are named.
  const usual =
    defect === undefined ? registry : select([...new Set([...defect.fails, ...bystandersOf(defect)])]);
  const chosen = flags.criteria === undefined ? usual : select(flags.criteria);
  const sampled = defect !== undefined && flags.criteria === undefined && flags.points !== undefined;
  const criteria = chosen.filter(({ gate }) => flags.gates.includes(gate));
  if (criteria.length === 0)
    throw new UsageError('no criterion matches; "oab-gate list criteria" shows them all');
  const tradeoffs = flags.tradeoffs === undefined ? [] : readTradeoffs(flags.tradeoffs);
  const score = flags.score === undefined ? NO_SCORE : readScore(flags.score);
  // A broken key is told before the run, not after it. A defect's verdict is never signed with it.
  const key = flags.defect === undefined ? await readDecisionKey(flags.key) : undefined;

  rmSync(join(flags.out, 'evidence'), { recursive: true, force: true });
  const result = await run({
    criteria: criteria.map((criterion) => ({
      id: criterion.id,
      cells: cellsOf(criterion, flags.bindings, flags.topologies),
    })),
    suites: sampled ? oneCaseOfBystanders(suites, defect, flags.seed) : suites,
    seed: flags.seed,
    out: flags.out,
    budgetMs: flags.budget,
    progress,
    ...(flags.defect === undefined ? {} : { defect: flags.defect }),
    ...narrowed,
    ...(flags.shrink === 0 ? {} : { shrink: { caseMs: flags.shrink / SHRINK_SHARE, runMs: flags.shrink } }),
    ...(flags.points === undefined ? {} : { points: pointsOf(flags.points, defect) }),
    ...(defect?.shownBy === undefined
      ? {}
      : { first: (id: string) => defect.shownBy?.some((one) => id.endsWith(one)) === true }),
    failFast: flags.failFast === true,
  });
  const evidence = await sealEvidence(flags.out, result.checks);
  const verdict = decide({
    checks: result.checks,
    tradeoffs,
    narrowedBy: narrowedBy(flags, narrowed !== undefined),
    embeddedInjector: String(result.components.fault_injector).startsWith('embedded'),
    defect: flags.defect ?? null,
    seed: flags.seed,
    subject: { executor: `reference ${VERSION}`, coordinator: `reference ${VERSION}` },
    components: result.components,
    measurements: measurementsOf(result.checks),
    evidence,
    score,
    startedAt: result.startedAt,
    durationMs: result.durationMs,
  });
  const files = await writeReports(flags.out, verdict, result.checks, key);
  return { verdict, checks: result.checks, files };
}

/** A bystander that does not fail is content with fewer points, and a declared criterion with no less than all. */
function pointsOf(most: number, defect: Defect | undefined): RunOptions['points'] {
  const shownAt = defect?.shownAt;
  const whole = (criterion: string) => defect?.fails.includes(criterion) === true;
  return {
    most: (criterion) => (defect === undefined || whole(criterion) ? most : Math.min(most, BYSTANDER_POINTS)),
    whole,
    ...(shownAt === undefined ? {} : { preferred: (point) => shownAt.includes(labelOf(point)) }),
  };
}

/** Each with the address of the case that measured it. */
function measurementsOf(checks: readonly CheckResult[]): Record<string, unknown>[] {
  return checks.flatMap(({ cases }) =>
    cases.flatMap(({ id, measurements = [] }) => measurements.map((one) => ({ case: id, ...one }))),
  );
}

function labelOf(point: unknown): string {
  const label = typeof point === 'object' && point !== null && 'label' in point ? point.label : point;
  return String(label);
}

function narrowedBy(flags: RunFlags, cases: boolean): string[] {
  return [
    ...(flags.gates.length < GATES.length ? ['--gates'] : []),
    ...(flags.bindings.length < BINDINGS.length ? ['--bindings'] : []),
    ...(flags.topologies.length < TOPOLOGIES.length ? ['--topologies'] : []),
    ...(flags.criteria === undefined ? [] : ['--criteria']),
    ...(flags.points === undefined ? [] : ['--points']),
    ...(cases ? ['--case'] : []),
  ];
}

async function readDecisionKey(path: string) {
  try {
    const { jwk, made } = await decisionKey(path);
    if (made) console.error(`made the decision key ${path}; its public half is beside it`);
    return jwk;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readTradeoffs(path: string): Tradeoff[] {
  try {
    return z.array(tradeoffSchema).parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const issue =
      error instanceof z.ZodError
        ? `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`
        : (error as Error).message;
    throw new UsageError(`${path}: no list of accepted trade-offs: ${issue}`);
  }
}
