/** `oab-peer wait | cancel | reconcile`: what can be done with a delegation that exists. */
import { Command } from 'commander';
import { type CancelAnswer, cancelExitCode } from '../../coordinator/cancel.js';
import { exitCodeOf, type ResultLine } from '../../coordinator/lines.js';
import type { Ask } from '../../peer/coordinator-client.js';
import { untilInterrupted } from './interrupt.js';
import { printer } from './print.js';

interface Options {
  config: string;
  json?: boolean;
}

const base = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .argument('<id>', 'task id or request id')
    .requiredOption('--config <file>', 'coordinator.yaml')
    .option('--json', 'NDJSON');

export function waitCommand(): Command {
  return base('wait', 'go on with a delegation where it stands, to its verified result; makes no second task')
    .addHelpText('after', '\nExample:\n  oab-peer wait --config coordinator.yaml req-6c1d…')
    .action((id: string, options: Options) => follow({ command: 'wait', id }, options));
}

export function reconcileCommand(): Command {
  return base('reconcile', 'look again for a verified result where only "unknown" is known here')
    .addHelpText('after', '\nExample:\n  oab-peer reconcile --config coordinator.yaml req-6c1d…')
    .action((id: string, options: Options) => follow({ command: 'reconcile', id }, options));
}

async function follow(question: Ask, options: Options): Promise<void> {
  const { ask } = await import('../../peer/coordinator-client.js');
  const line = await ask(options.config, question, printer(options.json === true), untilInterrupted());
  process.exitCode = exitCodeOf(line as ResultLine);
}

export function cancelCommand(): Command {
  return base('cancel', 'ask the executor to stop a task; the outcome comes with wait')
    .addHelpText(
      'after',
      '\nExit codes: 0 the executor was asked, or nothing was sent yet; 3 it refuses; 4 it could not be reached: recorded, and asked again by whoever waits.',
    )
    .action(async (id: string, options: Options) => {
      const { ask } = await import('../../peer/coordinator-client.js');
      const answer = (await ask(
        options.config,
        { command: 'cancel', id },
        () => {},
        untilInterrupted(),
      )) as CancelAnswer;
      console.log(options.json === true ? JSON.stringify(answer) : said(answer));
      process.exitCode = cancelExitCode(answer);
    });
}

function said(answer: CancelAnswer): string {
  const { task_id, state } = answer;
  if (task_id === null) return 'cancel recorded; no task is known yet';
  switch (cancelExitCode(answer)) {
    case 0:
      return `cancel recorded; the task is ${state}`;
    case 3:
      return `the executor refuses: ${state}`;
    default:
      return 'cancel recorded; the executor could not be reached, and wait asks again';
  }
}
