/** From check results to the state of each gate in each cell, and to the totals that every report format repeats. */
import type { Cell, CheckOutcome, CheckResult } from '../harness/check.js';
import type { BindingName } from '../profile/names.js';
import type { GateName } from './criterion.js';
import { criterionOf } from './registry.js';
import type { GateState, Totals, Tradeoff } from './verdict.js';

/** Criteria that may be not-exercised beside a decision, which is then provisional (their hops are installable parts). */
const MAY_BE_ABSENT = new Set(['RLY-06', 'RLY-07']);

export function totals(checks: readonly CheckResult[]): Totals {
  const of = (outcome: CheckOutcome) => checks.filter((check) => check.outcome === outcome).length;
  return {
    planned: checks.length,
    passed: of('passed'),
    failed: of('failed'),
    undetermined: of('undetermined'),
    not_exercised: of('not_exercised'),
    not_run: of('not_run'),
  };
}

/** A failed check that an accepted trade-off of today covers counts as passed for the decision, and is printed. */
export function covered(check: CheckResult, tradeoffs: readonly Tradeoff[], today: string): boolean {
  return tradeoffs.some(
    (tradeoff) =>
      tradeoff.criterion === check.criterion &&
      tradeoff.expires >= today &&
      tradeoff.cells.some(({ binding, topology }) => same({ binding, topology }, check.cell)),
  );
}

/** The checks that count for a gate on a binding: its own, and those that are run once for every binding. */
export function checksOf(
  checks: readonly CheckResult[],
  gate: GateName,
  binding: BindingName,
): CheckResult[] {
  return checks.filter((check) => {
    const criterion = criterionOf(check.criterion);
    if (criterion.gate !== gate) return false;
    return check.cell.binding === binding || criterion.cells === '1';
  });
}

/** fail, else undetermined (a not-run or unexcused not-exercised check proves nothing), else pass. */
export function stateOf(
  checks: readonly CheckResult[],
  isCovered: (check: CheckResult) => boolean,
): GateState {
  if (checks.length === 0) return 'not-run';
  if (checks.some((check) => check.outcome === 'failed' && !isCovered(check))) return 'fail';
  if (checks.every(({ outcome }) => outcome === 'not_run')) return 'not-run';
  if (checks.every(({ outcome }) => outcome === 'not_exercised')) return 'not-exercised';
  return checks.some(isUnproven) ? 'undetermined' : 'pass';
}

/** It neither passed nor failed, and may not be missing beside a decision. */
export function isUnproven({ outcome, criterion }: CheckResult): boolean {
  return (
    outcome === 'undetermined' ||
    outcome === 'not_run' ||
    (outcome === 'not_exercised' && !MAY_BE_ABSENT.has(criterion))
  );
}

export function absentButAllowed(checks: readonly CheckResult[]): boolean {
  return checks.some(({ outcome, criterion }) => outcome === 'not_exercised' && MAY_BE_ABSENT.has(criterion));
}

function same(a: Cell, b: Cell): boolean {
  return a.binding === b.binding && a.topology === b.topology;
}
