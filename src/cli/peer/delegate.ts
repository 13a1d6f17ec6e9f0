/** `oab-peer delegate`. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { exitCodeOf, type ResultLine } from '../../coordinator/lines.js';
import { duration, size } from '../../peer/config/units.js';
import { UsageError } from '../usage-error.js';
import { untilInterrupted } from './interrupt.js';
import { printer } from './print.js';

interface Options {
  config: string;
  to: string;
  task?: string;
  capability: string[];
  deadline: number;
  runtime?: number;
  maxOutput: number;
  requestId?: string;
  path?: string;
  json?: boolean;
}

export function delegateCommand(): Command {
  return new Command('delegate')
    .description('delegate a task and follow it to its verified result')
    .argument('[text...]', 'the task, unless --task is given')
    .requiredOption('--config <file>', 'coordinator.yaml')
    .requiredOption('--to <peer>', 'the executor, as configured')
    .option('--task <file>', 'read the task from a file, or from standard input with -')
    .option('--capability <name...>', 'what the task may use', ['repo:read'])
    .option('--deadline <duration>', 'at the latest, such as 10m', unit(duration), 600_000)
    .option('--runtime <duration>', 'running time, at most the deadline', unit(duration))
    .option('--max-output <size>', 'output, such as 256KiB', unit(size), 256 * 1024)
    .option('--request-id <id>', 'an id of your own; one id is one task for ever')
    .option('--path <path>', 'where the task stands, for people, such as /root/review')
    .option('--json', 'NDJSON: accepted, event, result')
    .addHelpText(
      'after',
      `
Examples:
  oab-peer delegate --config coordinator.yaml --to oab-b "Summarise README.md"
  git diff | oab-peer delegate --config coordinator.yaml --to oab-b --task - --deadline 5m --json
Killed in the middle, "oab-peer wait ID" goes on with it. Secrets in the task are not detected: do not put any in.`,
    )
    .action(delegate);
}

async function delegate(words: string[], options: Options): Promise<void> {
  const task = options.task === undefined ? words.join(' ') : readTask(options.task);
  if (task.trim() === '') throw new UsageError('there is no task: give it as text or with --task FILE');
  const { ask } = await import('../../peer/coordinator-client.js');
  const result = await ask(
    options.config,
    {
      command: 'delegate',
      input: {
        requestId: options.requestId ?? `req-${randomUUID()}`,
        peer: options.to,
        task,
        capabilities: options.capability,
        deadlineMs: options.deadline,
        maxOutputBytes: options.maxOutput,
        // The mark that an executor puts on the sessions that it runs for others.
        delegated: Number(process.env.OAB_DELEGATION_DEPTH ?? 0) > 0,
        ...(options.runtime === undefined ? {} : { maxRuntimeMs: options.runtime }),
        ...(options.path === undefined ? {} : { taskPath: options.path }),
      },
    },
    printer(options.json === true),
    untilInterrupted(),
  );
  process.exitCode = exitCodeOf(result as ResultLine);
}

function readTask(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

function unit(schema: typeof duration): (text: string) => number {
  return (text) => {
    const parsed = schema.safeParse(text);
    if (!parsed.success)
      throw new InvalidArgumentError(`${parsed.error.issues[0]?.message ?? 'not a value'}.`);
    return parsed.data;
  };
}
