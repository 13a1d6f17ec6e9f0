/** From the gates' states to the decision: each candidate's standing, and the first that is not out (O-155). */
import type { CheckResult } from '../harness/check.js';
import type { BindingName } from '../profile/names.js';
import type { GateName } from './criterion.js';
import { checksOf, stateOf } from './states.js';
import type { Verdict } from './verdict.js';

export const GATES: readonly GateName[] = ['replay', 'relay', 'profile'];
export type IsCovered = (check: CheckResult) => boolean;
export type Standing = 'in' | 'out' | 'open';
export type Decided = Pick<Verdict, 'decision' | 'binding'>;

export const UNDECIDED: Decided = { decision: 'inconclusive', binding: null };

/** out: a gate fails. in: all three pass. open: nothing failed, something is unproven. */
export function standing(
  checks: readonly CheckResult[],
  binding: BindingName,
  isCovered: IsCovered,
): Standing {
  const states = GATES.map((gate) => stateOf(checksOf(checks, gate, binding), isCovered));
  if (states.includes('fail')) return 'out';
  return states.every((state) => state === 'pass') ? 'in' : 'open';
}

/**
 * The first candidate that is not out decides; when all are out it is the custom protocol, whatever else is open.
 * `order`: of the candidates (`walkOrder`).
 */
export function walk(
  checks: readonly CheckResult[],
  isCovered: IsCovered,
  order: readonly BindingName[],
): Decided {
  for (const binding of order) {
    const stands = standing(checks, binding, isCovered);
    if (stands === 'in') return { decision: 'a2a', binding };
    if (stands === 'open') return UNDECIDED;
  }
  return { decision: 'custom', binding: 'OAB' };
}
