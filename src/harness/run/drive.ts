/** Runs a plan on its lanes, and gathers what became of each check. */
import type { CheckResult } from '../check.js';
import { inOrder } from './in-order.js';
import type { Lane, LaneEvent } from './lane.js';
import type { RunOptions } from './options.js';
import { estimateOf, type Plan, type PlannedCheck } from './plan.js';

/** Resolves with one result per planned check, in the plan's order. Rejects with the first lane that is broken. */
export async function drive(
  { checks, estimateMs }: Plan,
  lanes: readonly Lane[],
  progress: RunOptions['progress'] = () => {},
): Promise<CheckResult[]> {
  const of = checks.reduce((sum, { cases }) => sum + cases.length, 0);
  progress({ kind: 'planned', checks: checks.length, cases: of, estimateMs });
  let done = 0;
  const tell = (event: LaneEvent) => {
    if (event.kind === 'finished') {
      done += 1;
      progress({ ...event, done, of });
    } else progress(event);
  };
  const results = new Map<PlannedCheck, CheckResult>();
  const runAll = (some: readonly PlannedCheck[], on: readonly Lane[]) => {
    const idle = [...on];
    const work = async (check: PlannedCheck) => {
      // There are as many at work as there are lanes.
      const lane = idle.shift() as Lane;
      results.set(check, await lane.run(check, tell));
      idle.push(lane);
    };
    return inOrder(some, on.length, work, undefined, on.length === 1 ? undefined : estimateOf);
  };
  const chosen = checks.filter(({ cases }) => cases.length > 0);
  if (lanes.length === 1) await runAll(chosen, lanes);
  else {
    await runAll(
      chosen.filter(({ alone }) => alone === undefined),
      lanes,
    );
    const own = chosen.filter(({ alone }) => alone === 'but-its-own');
    for (const id of new Set(own.map(({ criterion }) => criterion)))
      await runAll(
        own.filter(({ criterion }) => criterion === id),
        lanes,
      );
    await runAll(
      chosen.filter(({ alone }) => alone === true),
      lanes.slice(0, 1),
    );
  }
  return checks.map((check) => results.get(check) ?? notRun(check));
}

function notRun({ criterion, cell, hasSuite }: PlannedCheck): CheckResult {
  const reason = hasSuite ? 'no case was chosen' : 'no_suite';
  return { criterion, cell, outcome: 'not_run', reason, cases: [], duration_ms: 0 };
}
