/** `oab-gate run`: the gate, or a named part of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { GateName } from '../../gate/criterion.js';
import { EXIT, exitCode } from '../../gate/exit-code.js';
import type { Topology } from '../../harness/check.js';
import { OverBudget } from '../../harness/run/plan.js';
import { BINDINGS, type BindingName } from '../../profile/names.js';
import { DEFAULT_KEY } from '../../report/decision-key.js';
import { UsageError } from '../usage-error.js';
import { execute } from './execute.js';
import { bindings, duration, GATES, gates, globs, many, seed, TOPOLOGIES, topologies } from './options.js';
import { terminalProgress } from './progress.js';
import { summary } from './summary.js';

/** The cases wait more than they compute, and two keep two cores busy. */
const JOBS = 2;

export interface RunFlags {
  gates: GateName[];
  bindings: BindingName[];
  topologies: Topology[];
  criteria?: string[];
  seed: number;
  budget: number;
  out: string;
  /** ms for making the schedules of failed cases smaller, over the whole run; 0: none. */
  shrink: number;
  failFast?: boolean;
  /** Checks at a time, each in a process of its own; absent or 1: one after the other, in this one. */
  jobs?: number;
  points?: number;
  defect?: string;
  tradeoffs?: string;
  score?: string;
  key: string;
  allowProvisional?: boolean;
  json?: boolean;
}

export function runCommand(): Command {
  return new Command('run')
    .description('run the gate and write a signed verdict')
    .option('--gates <list>', 'replay, relay, profile', gates, [...GATES])
    .option('--bindings <list>', BINDINGS.join(', '), bindings, [...BINDINGS])
    .option('--topologies <list>', TOPOLOGIES.join(', '), topologies, [...TOPOLOGIES])
    .option('--criteria <globs>', 'only these criteria, such as RPL-0*,PRF-13', globs)
    .option('--seed <n>', 'of every random choice', seed, 1)
    .option('--budget <duration>', 'refuse a plan that takes longer', duration, 15 * 60_000)
    .option(
      '--out <dir>',
      'folder of the run’s files; the evidence of an earlier run there is replaced',
      'out',
    )
    .option(
      '--shrink <duration>',
      'time, over the whole run, for finding the smallest schedule of failed cases; 0s: none',
      duration,
      60_000,
    )
    .option(
      '--points <n>',
      'try at most so many points of each sweep; with a --defect one case and two points in a bystander, and all of them in a criterion that it declares and that does not fail with fewer',
      many,
    )
    .option('--jobs <n>', 'checks at a time, each in a process of its own', many, JOBS)
    .option('--fail-fast', 'pass over the other cases of a check that has failed')
    .option('--defect <id>', 'plant this defect; the run decides nothing ("oab-gate list defects")')
    .option('--tradeoffs <file>', 'accepted trade-offs (JSON array)')
    .option('--score <file>', 'carry this score of the planted defects (power.json of "oab-gate power")')
    .option('--key <file>', 'private JWK that signs the verdict; made on first use', DEFAULT_KEY)
    .option('--allow-provisional', 'exit 0, 10 or 11 although the decision is provisional')
    .option('--json', 'print the verdict as JSON in place of the summary')
    .addHelpText(
      'after',
      `
Examples:
  oab-gate run                                              the whole gate
  oab-gate run --gates replay --bindings JSONRPC --topologies direct --seed 7 --out out
  oab-gate run --criteria 'RPL-03' --defect resumes-one-late`,
    )
    .action(runGate);
}

async function runGate(flags: RunFlags): Promise<void> {
  checkOut(flags.out);
  try {
    const { verdict, checks, files } = await execute(flags, terminalProgress(flags.json === true));
    if (flags.json === true) console.log(JSON.stringify(verdict, null, 2));
    else console.log(summary(verdict, checks, files));
    process.exitCode = exitCode(verdict, flags.allowProvisional === true);
  } catch (error) {
    if (error instanceof OverBudget) {
      console.error(`oab-gate: ${error.message}`);
      process.exitCode = EXIT.usage;
      return;
    }
    throw error;
  }
}

/** An evidence folder is emptied before a run: only one that a run made. */
function checkOut(out: string): void {
  const evidence = join(out, 'evidence');
  if (existsSync(evidence) && !existsSync(join(evidence, 'plan.json'))) {
    throw new UsageError(`--out ${out}: its folder evidence/ is of no run; name another folder`);
  }
}
