/** Where the gate is known to fail: criterion × binding, as the planted defects declare it, or as a run of `oab-gate power` saw it. */
import { suites } from '../../../suites/index.js';
import { cellsOf } from '../../gate/criterion.js';
import { criterionOf, registry } from '../../gate/registry.js';
import type { Defect } from '../../harness/defects/defect.js';
import { BINDINGS, type BindingName } from '../../profile/names.js';
import { TOPOLOGIES } from './options.js';

/** A defect and the checks that it fails, by their addresses: `RPL-03/WSS/direct`. */
export interface Plant {
  defect: string;
  checks: readonly string[];
}

export interface PlantedRow {
  criterion: string;
  /** Ids of the defects; undefined where the criterion has no case. */
  by: Readonly<Record<BindingName, readonly string[] | undefined>>;
}

export const addressOf = (criterion: string, binding: BindingName, topology: string) =>
  `${criterion}/${binding}/${topology}`;

/** Each criterion that a defect declares, in each cell that it is planted in. */
export function declaredChecks({
  fails,
  bindings,
  topology = 'direct',
}: Pick<Defect, 'fails' | 'bindings' | 'topology'>): string[] {
  return fails.flatMap((id) =>
    cellsOf(criterionOf(id), bindings, [topology]).map((cell) => addressOf(id, cell.binding, cell.topology)),
  );
}

/** One row for each criterion that has a suite, in the order of their ids. */
export function caughtBy(plants: readonly Plant[]): PlantedRow[] {
  return registry.flatMap((criterion) => {
    const { id } = criterion;
    const suite = suites.find((one) => one.criterion === id);
    if (suite === undefined) return [];
    const by = (binding: BindingName) => {
      const cells = cellsOf(criterion, [binding], TOPOLOGIES);
      if (!cells.some((cell) => suite.cases(cell).length > 0)) return undefined;
      const own = plants.filter(({ checks }) => checks.some((at) => at.startsWith(`${id}/${binding}/`)));
      return own.map(({ defect }) => defect);
    };
    const columns = BINDINGS.map((binding) => [binding, by(binding)] as const);
    return [{ criterion: id, by: Object.fromEntries(columns) as PlantedRow['by'] }];
  });
}

/** The table of what a run of `oab-gate power` caught, as Markdown. */
export function caughtByMarkdown(plants: readonly Plant[]): string {
  const rows = caughtBy(plants).map(({ criterion, by }) => {
    const cells = BINDINGS.map((binding) => by[binding]?.join('<br>') ?? '–');
    return `| ${[criterion, ...cells].join(' | ')} |`;
  });
  return `${[
    '# Which planted defect each criterion caught, on each binding',
    '',
    'Empty: none was planted there. –: the criterion has no case on that binding.',
    '',
    `| criterion | ${BINDINGS.join(' | ')} |`,
    `|${' --- |'.repeat(1 + BINDINGS.length)}`,
    ...rows,
  ].join('\n')}\n`;
}
