/** The plan of a run: every check with its cases, in one order for one choice; pure. */
import type { Cell } from '../check.js';
import type { Alone, CaseSpec } from '../suite.js';
import type { CaseLab } from './case-lab.js';
import type { RunOptions } from './options.js';

export interface PlannedCase {
  /** `RPL-03/JSONRPC/direct/reset` */
  id: string;
  spec: CaseSpec<CaseLab>;
}

export interface PlannedCheck {
  criterion: string;
  cell: Cell;
  /** Empty: no suite, or nothing of it was chosen. */
  cases: PlannedCase[];
  hasSuite: boolean;
  /** Not beside another, or not beside one of another criterion. */
  alone?: Alone | undefined;
}

export interface Plan {
  checks: PlannedCheck[];
  estimateMs: number;
}

/** The plan is longer than the time that it was given. */
export class OverBudget extends Error {
  override name = 'OverBudget';
}

export function plan({ criteria, suites, budgetMs, only, first, lanes }: RunOptions): Plan {
  const bySuite = new Map(suites.map((suite) => [suite.criterion, suite]));
  const checks = criteria.flatMap(({ id, cells }) =>
    cells.map((cell): PlannedCheck => {
      const suite = bySuite.get(id);
      const cases = (suite?.cases(cell) ?? []).map((spec) => ({
        id: `${id}/${cell.binding}/${cell.topology}/${spec.name}`,
        spec,
      }));
      return {
        criterion: id,
        cell,
        hasSuite: cases.length > 0,
        alone: suite?.alone,
        cases: inOrder(
          cases.filter((one) => only?.(one.id) ?? true),
          first,
        ),
      };
    }),
  );
  const estimateMs = checks.reduce(
    (sum, check) => sum + estimateOf(check) / (check.alone === true ? 1 : (lanes?.count ?? 1)),
    0,
  );
  if (estimateMs > budgetMs) {
    throw new OverBudget(
      `the plan takes about ${Math.ceil(estimateMs / 1000)} s and the budget is ${Math.floor(budgetMs / 1000)} s; raise --budget or narrow the run`,
    );
  }
  return { checks, estimateMs };
}

/** In ms. */
export function estimateOf({ cases }: PlannedCheck): number {
  return cases.reduce((sum, { spec }) => sum + spec.estimateMs, 0);
}

function inOrder(cases: PlannedCase[], first: RunOptions['first']): PlannedCase[] {
  if (first === undefined) return cases;
  return [...cases.filter(({ id }) => first(id)), ...cases.filter(({ id }) => !first(id))];
}
