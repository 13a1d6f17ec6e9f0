/** `oab-peer wait | cancel | reconcile`: what can be done with a delegation that exists. */
import { Command } from 'commander';
import { exitCodeOf, type ResultLine } from '../../coordinator/lines.js';
import { ask } from '../../peer/coordinator-client.js';
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
  return base('wait', 'go on with a delegation where it stands, to its verified result; creates nothing')
    .addHelpText('after', '\nExample:\n  oab-peer wait --config coordinator.yaml req-6c1d…')
    .action(async (id: string, options: Options) => {
      const signal = untilInterrupted();
      const result = await ask(
        options.config,
        { command: 'wait', id },
        printer(options.json === true),
        signal,
      );
      if (signal.aborted) console.error('interrupted; "oab-peer wait" goes on with it');
      process.exitCode = signal.aborted ? 4 : exitCodeOf(result as ResultLine);
    });
}

export function cancelCommand(): Command {
  return base('cancel', 'ask the executor to stop a task; the outcome comes with wait').action(
    async (id: string, options: Options) => {
      const answer = await ask(options.config, { command: 'cancel', id }, () => {}, untilInterrupted());
      if (options.json === true) console.log(JSON.stringify(answer));
      else console.log(`cancel recorded; the task is ${'state' in answer ? answer.state : 'unknown'}`);
      process.exitCode = 0;
    },
  );
}

export function reconcileCommand(): Command {
  return base('reconcile', 'look again for a verified result where only "unknown" is known here').action(
    async (id: string, options: Options) => {
      const line = (await ask(
        options.config,
        { command: 'reconcile', id },
        () => {},
        untilInterrupted(),
      )) as ResultLine;
      printer(options.json === true)(line);
      process.exitCode = exitCodeOf(line);
    },
  );
}
