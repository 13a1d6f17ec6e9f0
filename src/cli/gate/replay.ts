/** `oab-gate replay`: one case again, with the seed that it failed with. */
import { Command } from 'commander';
import { exitCode } from '../../gate/exit-code.js';
import { criterionOf } from '../../gate/registry.js';
import type { Topology } from '../../harness/check.js';
import type { BindingName } from '../../profile/names.js';
import { BINDINGS } from '../../profile/names.js';
import { DEFAULT_KEY } from '../../report/decision-key.js';
import { UsageError } from '../usage-error.js';
import { execute } from './execute.js';
import { GATES, seed, TOPOLOGIES } from './options.js';
import { terminalProgress } from './progress.js';
import { summary } from './summary.js';

interface Flags {
  case: string;
  seed: number;
  out: string;
  defect?: string;
}

export function replayCommand(): Command {
  return new Command('replay')
    .description('run one case again: same seed, same schedule')
    .requiredOption('--case <id>', 'address of the case, such as RPL-03/JSONRPC/direct/reset')
    .requiredOption('--seed <n>', 'the seed of the run', seed)
    .option('--defect <id>', 'with this planted defect')
    .option('--out <dir>', 'folder of the run’s files', 'out/replay')
    .addHelpText('after', '\nExample:\n  oab-gate replay --case RPL-03/JSONRPC/direct/offsets --seed 7')
    .action(replay);
}

async function replay(flags: Flags): Promise<void> {
  const match = /^([A-Z]{3}-\d\d)\/(.+)\/([a-z-]+)\/([\w.-]+)$/.exec(flags.case);
  const [, criterion = '', binding = '', topology = ''] = match ?? [];
  const known =
    match !== null && BINDINGS.includes(binding as BindingName) && TOPOLOGIES.includes(topology as Topology);
  if (!known)
    throw new UsageError(`${flags.case}: no address of a case; one looks like RPL-03/JSONRPC/direct/reset`);
  try {
    criterionOf(criterion);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  let found = false;
  const only = (id: string) => {
    found ||= id === flags.case;
    return id === flags.case;
  };
  const { verdict, checks, files } = await execute(
    {
      gates: [...GATES],
      bindings: [binding as BindingName],
      topologies: [topology as Topology],
      criteria: [criterion],
      seed: flags.seed,
      budget: Number.MAX_SAFE_INTEGER,
      out: flags.out,
      key: DEFAULT_KEY,
      ...(flags.defect === undefined ? {} : { defect: flags.defect }),
    },
    terminalProgress(false),
    only,
  );
  if (!found) throw new UsageError(`${flags.case}: the suite has no such case`);
  console.log(summary(verdict, checks, files));
  process.exitCode = exitCode(verdict, false);
}
