/** The counterfactual: what would have had to come out otherwise for another decision. */
import type { CheckResult } from '../harness/check.js';
import type { BindingName } from '../profile/names.js';
import { criterionOf } from './registry.js';
import { checksOf, isUnproven } from './states.js';
import type { Verdict } from './verdict.js';
import { GATES, type IsCovered, standing, walk } from './walk.js';

export type Flip = Verdict['flips'][number];

/**
 * Of what failed or is unproven, a smallest set whose other outcome changes the decision or its binding; of several as
 * small, the one that lets an earlier candidate pass. For `a2a` a failure of any criterion of the chosen binding is enough, written `*`.
 */
export function flips(
  checks: readonly CheckResult[],
  isCovered: IsCovered,
  order: readonly BindingName[],
): Flip[] {
  const now = walk(checks, isCovered, order);
  if (now.decision === 'a2a' && now.binding !== null)
    return [{ criterion: '*', binding: now.binding, outcome: 'failed' }];
  let least: Flip[] = [];
  const sets = now.decision === 'custom' ? rescues : settlements;
  for (const set of sets(checks, isCovered, order)) {
    if (set.length === 0 || (least.length > 0 && set.length >= least.length)) continue;
    const then = walk(withFlips(checks, set), isCovered, order);
    if (then.decision !== now.decision || then.binding !== now.binding) least = set;
  }
  return least;
}

/** The checks as they would be; a criterion that is run once counts in every binding. */
export function withFlips(checks: readonly CheckResult[], set: readonly Flip[]): CheckResult[] {
  return checks.map((check) => {
    const flip = set.find(
      ({ criterion, binding }) =>
        check.criterion === criterion && (check.cell.binding === binding || isRunOnce(criterion)),
    );
    return flip === undefined ? check : { ...check, outcome: flip.outcome };
  });
}

/** From `custom`: what failed of one candidate would have to pass. */
function rescues(
  checks: readonly CheckResult[],
  isCovered: IsCovered,
  order: readonly BindingName[],
): Flip[][] {
  const failed = (check: CheckResult) => check.outcome === 'failed' && !isCovered(check);
  return order.map((binding) => flipsOf(checks, binding, failed, 'passed'));
}

/** From `inconclusive`: one candidate after the other fails in what it has not proven, and the next one proves all. */
function settlements(
  checks: readonly CheckResult[],
  isCovered: IsCovered,
  order: readonly BindingName[],
): Flip[][] {
  const sets: Flip[][] = [];
  let fails: Flip[] = [];
  for (const binding of order) {
    if (standing(checks, binding, isCovered) !== 'open') continue;
    sets.push([...fails, ...flipsOf(checks, binding, isUnproven, 'passed')]);
    const could = flipsOf(checks, binding, isUnproven, 'failed');
    const shared = could.find(({ criterion }) => isRunOnce(criterion));
    if (shared !== undefined) sets.push([shared]);
    // Without an unproven criterion of its own it fails only together with all others.
    const own = could.find(({ criterion }) => !isRunOnce(criterion));
    if (own === undefined) break;
    fails = [...fails, own];
    sets.push(fails);
  }
  return sets;
}

function flipsOf(
  checks: readonly CheckResult[],
  binding: BindingName,
  which: (check: CheckResult) => boolean,
  outcome: Flip['outcome'],
): Flip[] {
  const ids = GATES.flatMap((gate) => checksOf(checks, gate, binding))
    .filter(which)
    .map(({ criterion }) => criterion);
  return [...new Set(ids)].map((criterion) => ({ criterion, binding, outcome }));
}

const isRunOnce = (criterion: string) => criterionOf(criterion).cells === '1';
