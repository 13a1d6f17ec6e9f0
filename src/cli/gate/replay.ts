/** `oab-gate replay`: one case again, with the seed that it failed with, from its address or from its failure capsule. */
import { Command } from 'commander';
import { exitCode } from '../../gate/exit-code.js';
import { criterionOf } from '../../gate/registry.js';
import type { Capsule } from '../../harness/capsule/capsule.js';
import { BadCapsule, readCapsule, selectionOf } from '../../harness/capsule/read-capsule.js';
import { sameFailure } from '../../harness/capsule/same-failure.js';
import type { CheckResult, Topology } from '../../harness/check.js';
import { VERSION } from '../../peer/version.js';
import type { BindingName } from '../../profile/names.js';
import { BINDINGS } from '../../profile/names.js';
import { DEFAULT_KEY } from '../../report/decision-key.js';
import { UsageError } from '../usage-error.js';
import { execute } from './execute.js';
import { GATES, seed, TOPOLOGIES } from './options.js';
import { terminalProgress } from './progress.js';
import { summary } from './summary.js';

interface Flags {
  case?: string;
  seed?: number;
  out: string;
  defect?: string;
}

export function replayCommand(): Command {
  return new Command('replay')
    .description('run one case again: same seed, same schedule')
    .argument('[capsule]', 'failure capsule (capsule.json among the evidence of a failed case)')
    .option('--case <id>', 'without a capsule: address of the case, such as RPL-03/JSONRPC/direct/reset')
    .option('--seed <n>', 'without a capsule: the seed of the run', seed)
    .option('--defect <id>', 'without a capsule: with this planted defect')
    .option('--out <dir>', 'folder of the run’s files', 'out/replay')
    .addHelpText(
      'after',
      `
Examples:
  oab-gate replay out/evidence/RPL-03/JSONRPC/direct/reset/capsule.json
  oab-gate replay --case RPL-03/JSONRPC/direct/offsets --seed 7
Exit codes: 22 the case fails (a capsule: the line "same failure" says whether as before), 21 it does not, 23 undetermined, 2 no such case or no capsule.`,
    )
    .action(replay);
}

async function replay(file: string | undefined, flags: Flags): Promise<void> {
  const capsule = file === undefined ? undefined : read(file);
  if (capsule !== undefined && (flags.case ?? flags.seed ?? flags.defect) !== undefined)
    throw new UsageError(
      'a capsule names case, seed and defect itself; leave out --case, --seed and --defect',
    );
  const address = capsule?.case ?? flags.case;
  const chosen = capsule?.seed ?? flags.seed;
  if (address === undefined || chosen === undefined)
    throw new UsageError('name a capsule file, or a case with --case and --seed');
  const { criterion, binding, topology } = addressOf(address);
  const defect = capsule === undefined ? flags.defect : (capsule.defect ?? undefined);
  let found = false;
  const { verdict, checks, files } = await execute(
    {
      gates: [...GATES],
      bindings: [binding],
      topologies: [topology],
      criteria: [criterion],
      seed: chosen,
      budget: Number.MAX_SAFE_INTEGER,
      out: flags.out,
      key: DEFAULT_KEY,
      shrink: 0,
      ...(defect === undefined ? {} : { defect }),
    },
    terminalProgress(false),
    {
      only(id) {
        found ||= id === address;
        return id === address;
      },
      ...(capsule === undefined ? {} : { selection: selectionOf(capsule) }),
    },
  );
  if (!found) throw new UsageError(`${address}: the suite has no such case`);
  console.log(summary(verdict, checks, files));
  if (capsule !== undefined)
    console.log(compared(capsule, checks, String(verdict.components.fault_injector)));
  process.exitCode = exitCode(verdict, false);
}

function read(file: string): Capsule {
  try {
    return readCapsule(file);
  } catch (error) {
    throw error instanceof BadCapsule ? new UsageError(error.message) : error;
  }
}

function addressOf(address: string): { criterion: string; binding: BindingName; topology: Topology } {
  const match = /^([A-Z]{3}-\d\d)\/(.+)\/([a-z-]+)\/([\w.-]+)$/.exec(address);
  const [, criterion = '', binding = '', topology = ''] = match ?? [];
  const known =
    match !== null && BINDINGS.includes(binding as BindingName) && TOPOLOGIES.includes(topology as Topology);
  if (!known)
    throw new UsageError(`${address}: no address of a case; one looks like RPL-03/JSONRPC/direct/reset`);
  try {
    criterionOf(criterion);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return { criterion, binding: binding as BindingName, topology: topology as Topology };
}

/** Whether the failure came back, and what is not as it was when the capsule was made. */
function compared(capsule: Capsule, checks: readonly CheckResult[], injector: string): string {
  const ran = checks.flatMap(({ cases }) => cases).find(({ id }) => id === capsule.case);
  const now: Record<string, string> = { node: process.version, product: VERSION, injector };
  const differs = Object.entries(now).flatMap(([what, version]) => {
    const before = capsule.versions[what as keyof Capsule['versions']];
    // A smaller schedule may need no injector at all.
    return before === version || version === 'none' ? [] : [`${what} ${before} then, ${version} now`];
  });
  const note = differs.length === 0 ? '' : `\nnot as it was: ${differs.join('; ')}`;
  return `${sameOrNot(capsule, ran?.outcome ?? 'not_run', ran?.reason ?? '')}${note}`;
}

function sameOrNot({ reason, shrunk }: Capsule, outcome: string, now: string): string {
  if (outcome !== 'failed')
    return `same failure: no, the case is ${outcome.replace('_', ' ')} now. It was: ${reason}`;
  const before = [reason, shrunk?.reason ?? reason];
  return before.some((one) => sameFailure(one, now))
    ? 'same failure: yes'
    : `same failure: no, another one. It was: ${reason}`;
}
