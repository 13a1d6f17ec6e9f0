#!/usr/bin/env node
/** `oab-gate`: the harness's command line. One file per command in `gate/`; this one only lists them. */
import { Command, CommanderError } from 'commander';
import { EXIT } from '../gate/exit-code.js';
import { VERSION } from '../peer/version.js';
import { agentCommand } from './gate/agent.js';
import { doctorCommand } from './gate/doctor.js';
import { listCommand } from './gate/list.js';
import { powerCommand } from './gate/power.js';
import { replayCommand } from './gate/replay.js';
import { runCommand } from './gate/run.js';
import { verifyCommand } from './gate/verify.js';
import { UsageError } from './usage-error.js';

const program = new Command('oab-gate')
  .enablePositionalOptions()
  .description(
    'Decides from evidence whether OABs delegate over A2A 1.0 with the OAB Delegation Profile or over the custom protocol.',
  )
  .addHelpText(
    'after',
    `
Exit codes of run: 0 a2a, 10 custom, 11 custom but its fallback failed, 20 inconclusive, 30 provisional,
21/22/23 narrowed run without failure, with a failure, with something undetermined, 2 usage, 1 defect of the harness.`,
  )
  .version(VERSION, '--version', 'print the version')
  .exitOverride()
  .showHelpAfterError('(--help shows how)');

for (const command of [
  runCommand,
  verifyCommand,
  replayCommand,
  powerCommand,
  listCommand,
  doctorCommand,
  agentCommand,
]) {
  program.addCommand(command().exitOverride().showHelpAfterError('(--help shows how)'));
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  } else if (error instanceof UsageError) {
    console.error(`oab-gate: ${error.message}`);
    process.exitCode = EXIT.usage;
  } else {
    console.error(
      `oab-gate: a defect of the harness, please report it: ${(error as Error).stack ?? String(error)}`,
    );
    process.exitCode = EXIT.harnessDefect;
  }
}
