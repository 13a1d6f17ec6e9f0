/** From flags to a verdict on disk: criteria, run, evidence, decision, reports. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { decide } from '../../gate/decide.js';
import { type Tradeoff, tradeoffSchema, type Verdict } from '../../gate/verdict.js';
import type { CheckResult } from '../../harness/check.js';
import type { Progress } from '../../harness/run/options.js';
import { run } from '../../harness/run/run.js';
import type { Selection } from '../../harness/run/sweeps.js';
import { VERSION } from '../../peer/version.js';
import { BINDINGS } from '../../profile/names.js';
import { decisionKey } from '../../report/decision-key.js';
import { sealEvidence } from '../../report/evidence.js';
import { writeReports } from '../../report/write.js';
import { UsageError } from '../usage-error.js';
import { forkLane } from './lane.js';
import { GATES, TOPOLOGIES } from './options.js';
import type { RunFlags } from './run.js';
import { runOptions } from './run-options.js';
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

export async function execute(
  flags: RunFlags,
  progress: (event: Progress) => void,
  narrowed?: Narrowed,
): Promise<Executed> {
  const options = runOptions(flags);
  const tradeoffs = flags.tradeoffs === undefined ? [] : readTradeoffs(flags.tradeoffs);
  const score = flags.score === undefined ? NO_SCORE : readScore(flags.score);
  // A broken key is told before the run, not after it. A defect's verdict is never signed with it.
  const key = flags.defect === undefined ? await readDecisionKey(flags.key) : undefined;

  rmSync(join(flags.out, 'evidence'), { recursive: true, force: true });
  const { jobs = 1 } = flags;
  const result = await run({
    ...options,
    ...narrowed,
    progress,
    // A lane's process knows the flags alone.
    ...(jobs === 1 || narrowed !== undefined ? {} : { lanes: { count: jobs, open: () => forkLane(flags) } }),
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

/** Each with the address of the case that measured it. */
function measurementsOf(checks: readonly CheckResult[]): Record<string, unknown>[] {
  return checks.flatMap(({ cases }) =>
    cases.flatMap(({ id, measurements = [] }) => measurements.map((one) => ({ case: id, ...one }))),
  );
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
