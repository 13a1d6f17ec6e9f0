/** `oab-gate power`: every planted defect against its criteria, to know that the gate can fail. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Defect } from '../../harness/defects/defect.js';
import { defects } from '../../harness/defects/registry.js';
import { inOrder } from '../../harness/run/in-order.js';
import { plan } from '../../harness/run/plan.js';
import { UsageError } from '../usage-error.js';
import { buildDigest } from './build-digest.js';
import { defectFlags } from './defect-flags.js';
import { globs, many, seed } from './options.js';
import { openPlanters } from './plant.js';
import { caughtByMarkdown } from './planted.js';
import { runOptions } from './run-options.js';
import { type Caught, SCORE_SCHEMA, type Score } from './score.js';

interface Flags {
  defects?: string[];
  seed: number;
  jobs: number;
  out: string;
  json?: boolean;
}

export function powerCommand(): Command {
  return new Command('power')
    .description('plant each defect and check that exactly its declared criteria fail')
    .option('--defects <list>', 'only these', globs)
    .option('--seed <n>', 'of every random choice', seed, 1)
    .option('--jobs <n>', 'defects at a time, each in a process of its own', many, 3)
    .option(
      '--out <dir>',
      'folder of the runs’ files, of the score, power.json, and of the table caught-by.md',
      'out/power',
    )
    .option('--json', 'print the score as JSON')
    .addHelpText(
      'after',
      `
Exit codes: 0 every defect is caught by exactly its criteria, 1 one is not.
"oab-gate run --score out/power/power.json" carries the score in its verdict.`,
    )
    .action(power);
}

async function power(flags: Flags): Promise<void> {
  const chosen = choose(flags.defects);
  const started = performance.now();
  const started_at = new Date().toISOString();
  const build = buildDigest();
  const running = new Set<string>();
  const live = process.stderr.isTTY === true && flags.json !== true;
  const show = () => {
    if (live) process.stderr.write(`\r\u001b[K  ${[...running].join(', ')}`);
  };
  const print = (row: Caught, done: number) => {
    if (flags.json === true) return;
    if (live) process.stderr.write('\r\u001b[K');
    console.log(`${done}/${chosen.length} ${line(row)}`);
    show();
  };
  let done = 0;
  const planters = openPlanters();
  const rows = await inOrder(
    chosen,
    flags.jobs,
    async (defect) => {
      running.add(defect.id);
      show();
      try {
        return await planters.plant({
          defect: defect.id,
          seed: flags.seed,
          out: join(flags.out, defect.id),
        });
      } finally {
        running.delete(defect.id);
      }
    },
    (row) => {
      done += 1;
      print(row, done);
    },
    // None of the long ones is left to run alone in the end.
    (defect) => plan(runOptions(defectFlags(defect, flags.seed, flags.out))).estimateMs,
  ).finally(planters.close);
  if (live) process.stderr.write('\r\u001b[K');
  const duration_ms = Math.round(performance.now() - started);
  const score: Score = {
    schema: SCORE_SCHEMA,
    build,
    seed: flags.seed,
    started_at,
    duration_ms,
    defects: rows,
  };
  mkdirSync(flags.out, { recursive: true });
  writeFileSync(join(flags.out, 'power.json'), `${JSON.stringify(score, null, 2)}\n`);
  const found = rows.filter((row) => row.caught).map(({ defect, failed }) => ({ defect, checks: failed }));
  writeFileSync(join(flags.out, 'caught-by.md'), caughtByMarkdown(found));
  const caught = found.length;
  if (flags.json === true) console.log(JSON.stringify(score, null, 2));
  else console.log(`defects caught ${caught} of ${rows.length}, ${(duration_ms / 1000).toFixed(0)} s`);
  process.exitCode = caught === rows.length ? 0 : 1;
}

function choose(names: readonly string[] | undefined): Defect[] {
  const strange = names?.find((name) => !defects.some(({ id }) => id === name));
  if (strange !== undefined)
    throw new UsageError(`no defect ${strange}; "oab-gate list defects" shows them all`);
  return defects.filter(({ id }) => names === undefined || names.includes(id));
}

function line({ defect, failed, expected, undetermined, caught, duration_ms }: Caught): string {
  const open = undetermined.length > 0 ? `; undetermined: ${undetermined.join()}` : '';
  const declared = caught ? '' : ` (declared: ${byBinding(expected)}${open})`;
  return `${caught ? '✓' : '✗'} ${defect.padEnd(28)} ${byBinding(failed)}${declared} ${(duration_ms / 1000).toFixed(1)} s`;
}

/** `RPL-07 PRF-11 on WSS, RPL-07 on OAB`. */
function byBinding(checks: readonly string[]): string {
  const on = new Map<string, string[]>();
  for (const check of checks) {
    const [criterion = '', binding = ''] = check.split('/');
    on.set(binding, [...(on.get(binding) ?? []), criterion]);
  }
  return [...on].map(([binding, criteria]) => `${criteria.join(' ')} on ${binding}`).join(', ');
}
