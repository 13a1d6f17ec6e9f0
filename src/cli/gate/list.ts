/** `oab-gate list criteria|defects|plants|faults|obligations`. */
import { Argument, Command } from 'commander';
import { obligations, unproven } from '../../gate/obligations.js';
import { registry } from '../../gate/registry.js';
import { defects } from '../../harness/defects/registry.js';
import { faults } from '../../harness/faults/registry.js';
import { BINDINGS } from '../../profile/names.js';
import { caughtBy, declaredChecks } from './planted.js';

const plants = defects.map((defect) => ({ defect: defect.id, checks: declaredChecks(defect) }));

const lists = {
  criteria: () =>
    registry.map(({ id, kind, cells, subject, statement }) => ({ id, kind, cells, subject, statement })),
  defects: () =>
    defects.map(({ id, breaks, fails, bindings }) => ({
      id,
      fails: fails.join(' '),
      bindings: bindings.join(' '),
      breaks,
    })),
  plants: () =>
    caughtBy(plants).map(({ criterion, by }) => ({
      criterion,
      ...Object.fromEntries(BINDINGS.map((binding) => [binding, by[binding]?.join(' ') ?? '–'])),
    })),
  faults: () => faults.map(({ name, by, description }) => ({ name, by, description })),
  obligations: () =>
    obligations.map(({ id, text, proof }) => ({
      id,
      proof:
        proof ??
        registry
          .filter(({ sources }) => sources.includes(id))
          .map((criterion) => criterion.id)
          .join(' '),
      text,
    })),
} as const;

export function listCommand(): Command {
  return new Command('list')
    .description(
      'list the criteria, planted defects, where each criterion is known to fail (plants), faults or obligations',
    )
    .addArgument(new Argument('<what>').choices(Object.keys(lists)))
    .option('--json', 'one JSON array')
    .option('--check', 'obligations: exit 1 when one is proven by nothing')
    .addHelpText('after', '\nExamples:\n  oab-gate list criteria\n  oab-gate list defects --json')
    .action((what: keyof typeof lists, options: { json?: boolean; check?: boolean }) => {
      if (options.check === true) {
        const problems = unproven();
        for (const problem of problems) console.error(problem);
        process.exitCode = problems.length === 0 ? 0 : 1;
        return;
      }
      const rows: Record<string, string>[] = lists[what]();
      // The columns of a matrix say nothing without their names.
      const names = Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, name]));
      const shown = what === 'plants' ? [names, ...rows] : rows;
      console.log(options.json === true ? JSON.stringify(rows, null, 2) : table(shown));
    });
}

/** Columns as wide as their content; the last one runs free. */
function table(rows: readonly Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(...rows.map((row) => (row[name] ?? '').length)));
  return rows
    .map((row) =>
      names
        .map((name, at) => (at === names.length - 1 ? row[name] : (row[name] ?? '').padEnd(widths[at] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
