/** From flags to what the harness is asked to run. The same flags give the same plan in every process. */
import { suites } from '../../../suites/index.js';
import { cellsOf } from '../../gate/criterion.js';
import { registry, select } from '../../gate/registry.js';
import {
  BYSTANDER_POINTS,
  bystandersOf,
  drawnBystanders,
  oneCaseOfBystanders,
  oneCellOfBystander,
} from '../../harness/defects/bystanders.js';
import type { Defect } from '../../harness/defects/defect.js';
import { defects } from '../../harness/defects/registry.js';
import type { RunOptions } from '../../harness/run/options.js';
import { UsageError } from '../usage-error.js';
import type { RunFlags } from './run.js';

/** One failed case may take half of the time that is given to all of them. */
const SHRINK_SHARE = 2;

/** Throws UsageError when they name no defect or no criterion that there is. */
export function runOptions(flags: RunFlags): RunOptions {
  const defect = defects.find(({ id }) => id === flags.defect);
  if (flags.defect !== undefined && defect === undefined) {
    throw new UsageError(`no defect ${flags.defect}; "oab-gate list defects" shows them all`);
  }
  const sampled = defect !== undefined && flags.criteria === undefined && flags.points !== undefined;
  // A defect's run is its own criteria and the bystanders, unless others are named.
  const beside =
    defect === undefined ? [] : sampled ? drawnBystanders(defect, flags.seed) : bystandersOf(defect);
  const usual = defect === undefined ? registry : select([...new Set([...defect.fails, ...beside])]);
  const chosen = flags.criteria === undefined ? usual : select(flags.criteria);
  const criteria = chosen.filter(({ gate }) => flags.gates.includes(gate));
  if (criteria.length === 0)
    throw new UsageError('no criterion matches; "oab-gate list criteria" shows them all');
  const shrinkMs = flags.shrink / (flags.jobs ?? 1);
  return {
    criteria: criteria.map((criterion) => {
      const { id } = criterion;
      const cells = cellsOf(criterion, flags.bindings, flags.topologies);
      return { id, cells: sampled ? oneCellOfBystander(id, cells, defect, flags.seed) : cells };
    }),
    suites: sampled ? oneCaseOfBystanders(suites, defect, flags.seed) : suites,
    seed: flags.seed,
    out: flags.out,
    budgetMs: flags.budget,
    ...(flags.defect === undefined ? {} : { defect: flags.defect }),
    ...(shrinkMs === 0 ? {} : { shrink: { caseMs: shrinkMs / SHRINK_SHARE, runMs: shrinkMs } }),
    ...(flags.points === undefined ? {} : { points: pointsOf(flags.points, defect) }),
    ...(defect?.shownBy === undefined
      ? {}
      : { first: (id: string) => defect.shownBy?.some((one) => id.endsWith(one)) === true }),
    failFast: flags.failFast === true,
  };
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

function labelOf(point: unknown): string {
  const label = typeof point === 'object' && point !== null && 'label' in point ? point.label : point;
  return String(label);
}
