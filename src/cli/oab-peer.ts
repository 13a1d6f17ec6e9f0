#!/usr/bin/env node
/** `oab-peer`: the reference deployment's command line. One file per command in `peer/`; this one only lists them. */
import { Command, CommanderError } from 'commander';
import { DelegateError } from '../coordinator/intend.js';
import { StoreUnusable } from '../coordinator/store.js';
import { KeyFileError } from '../identity/key-file.js';
import { NoSigningKey } from '../identity/key-store.js';
import { StoreUnavailable } from '../journal/journal.js';
import { JournalUnusable } from '../journal/schema.js';
import { ConfigError } from '../peer/config/config-error.js';
import { Interrupted } from '../peer/interrupted.js';
import { toItsEnd } from '../peer/to-its-end.js';
import { VERSION } from '../peer/version.js';
import { auditCommand } from './peer/audit.js';
import { delegateCommand } from './peer/delegate.js';
import { cancelCommand, reconcileCommand, waitCommand } from './peer/follow.js';
import { runJob } from './peer/job.js';
import { keysCommand } from './peer/keys.js';
import { coordinatorCommand, executorCommand, relayCommand } from './peer/processes.js';
import { statusCommand, tasksCommand } from './peer/tasks.js';
import { UsageError } from './usage-error.js';

const program = new Command('oab-peer')
  .description('Delegates bounded tasks to another OAB, or executes them for one.')
  .addHelpText(
    'after',
    '\nExit codes: 0 completed, 3 another outcome, 4 unknown, 2 usage or configuration, 1 a defect.',
  )
  .version(VERSION, '--version', 'print the version')
  .exitOverride()
  .showHelpAfterError('(--help shows how)');

for (const command of [
  executorCommand,
  coordinatorCommand,
  relayCommand,
  delegateCommand,
  waitCommand,
  statusCommand,
  cancelCommand,
  reconcileCommand,
  tasksCommand,
  auditCommand,
  keysCommand,
]) {
  program.addCommand(command());
}
for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
  command.exitOverride().showHelpAfterError('(--help shows how)');
}

/** Exit 2: what was typed, configured or found on this machine; nothing was sent. */
const OURS = [
  ConfigError,
  UsageError,
  DelegateError,
  StoreUnusable,
  JournalUnusable,
  StoreUnavailable,
  KeyFileError,
  NoSigningKey,
];

// A reader that went away (`| head`) knows as little as after an interruption.
process.stdout.on('error', () => process.exit(4));

async function main(): Promise<void> {
  try {
    const job = process.env.OAB_GATE_JOB;
    if (job !== undefined && process.argv.length === 2) process.exitCode = await runJob(job);
    else await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof Interrupted) {
      console.error(`oab-peer: ${error.message}`);
      process.exitCode = 4;
    } else if (OURS.some((known) => error instanceof known)) {
      console.error(`oab-peer: ${(error as Error).message}`);
      process.exitCode = 2;
    } else {
      console.error(`oab-peer: a defect, please report it: ${(error as Error).stack ?? String(error)}`);
      process.exitCode = 1;
    }
  }
  // Whoever calls us waits for the end, not for the last idle connection.
  if (process.exitCode !== undefined) process.stdout.write('', () => process.exit());
}

toItsEnd(main());
