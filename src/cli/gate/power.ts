/** `oab-gate power`: every planted defect against its criteria, to know that the gate can fail. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { defects } from '../../harness/defects/registry.js';
import { DEFAULT_KEY } from '../../report/decision-key.js';
import { UsageError } from '../usage-error.js';
import { execute } from './execute.js';
import { globs, seed } from './options.js';

interface Flags {
  defects?: string[];
  seed: number;
  out: string;
  json?: boolean;
}

interface Caught {
  defect: string;
  expected: string[];
  failed: string[];
  /** Checks that neither passed nor failed: a defect that is only "undetermined" is not caught. */
  undetermined: string[];
  caught: boolean;
  duration_ms: number;
}

export function powerCommand(): Command {
  return new Command('power')
    .description('plant each defect and check that exactly its declared criteria fail')
    .option('--defects <list>', 'only these', globs)
    .option('--seed <n>', 'of every random choice', seed, 1)
    .option('--out <dir>', 'folder of the runs’ files', 'out/power')
    .option('--json', 'JSON')
    .addHelpText('after', '\nExit codes: 0 every defect is caught by exactly its criteria, 1 one is not.')
    .action(power);
}

async function power(flags: Flags): Promise<void> {
  const chosen = defects.filter(({ id }) => flags.defects === undefined || flags.defects.includes(id));
  if (chosen.length === 0) throw new UsageError('no such defect; "oab-gate list defects" shows them all');
  const rows: Caught[] = [];
  for (const { id, fails, bindings } of chosen) {
    const { verdict } = await execute(
      {
        gates: ['replay', 'relay', 'profile'],
        bindings: [...bindings],
        topologies: ['direct'],
        seed: flags.seed,
        budget: Number.MAX_SAFE_INTEGER,
        out: join(flags.out, id),
        key: DEFAULT_KEY,
        defect: id,
      },
      () => {},
    );
    const failed = [...new Set(verdict.failed_criteria.map(({ criterion }) => criterion))].sort();
    const expected = [...fails].sort();
    const open = verdict.totals.undetermined > 0 ? [`${verdict.totals.undetermined} checks`] : [];
    const caught = failed.join() === expected.join() && open.length === 0;
    rows.push({ defect: id, expected, failed, undetermined: open, caught, duration_ms: verdict.duration_ms });
    if (flags.json !== true) {
      console.log(
        `${caught ? '✓' : '✗'} ${id.padEnd(28)} ${failed.join(' ')}${caught ? '' : ` (declared: ${expected.join(' ')}${open.length > 0 ? `; undetermined: ${open.join()}` : ''})`} ${(verdict.duration_ms / 1000).toFixed(1)} s`,
      );
    }
  }
  const caught = rows.filter((row) => row.caught).length;
  mkdirSync(flags.out, { recursive: true });
  writeFileSync(join(flags.out, 'power.json'), `${JSON.stringify(rows, null, 2)}\n`);
  if (flags.json === true) console.log(JSON.stringify(rows, null, 2));
  else console.log(`defects caught ${caught} of ${rows.length}`);
  process.exitCode = caught === rows.length ? 0 : 1;
}
