/** What a run with a planted defect is, for `oab-gate power`. */
import type { Defect } from '../../harness/defects/defect.js';
import { GATES } from './options.js';
import type { RunFlags } from './run.js';

/** Of each sweep: enough for most failures and for a bystander; a declared criterion that passes them is run whole. */
const POINTS = 6;
const DAY_MS = 86_400_000;

export function defectFlags({ id, bindings, topology }: Defect, seed: number, out: string): RunFlags {
  return {
    gates: [...GATES],
    bindings: [...bindings],
    topologies: [topology ?? 'direct'],
    seed,
    budget: DAY_MS,
    out,
    // A second failure of a criterion that has failed proves nothing more, and why it failed is known.
    failFast: true,
    shrink: 0,
    points: POINTS,
    defect: id,
    key: '',
  };
}
