/** `oab-gate agent`: runs the scripted ACP agent, for strangers to put behind their executor. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';

const AGENT = fileURLToPath(new URL('../../../../fixtures/agents/scripted.mjs', import.meta.url));

export function agentCommand(): Command {
  return new Command('agent')
    .description('run the scripted ACP agent on stdio (docs/agent.md has its language)')
    .argument('[arguments...]', 'passed to the agent, such as --probe DIR')
    .allowUnknownOption()
    .passThroughOptions()
    .action(
      (args: string[]) =>
        new Promise<void>((resolve) => {
          const child = spawn(process.execPath, [AGENT, ...args], { stdio: 'inherit' });
          for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
          child.on('exit', (code, signal) => {
            process.exitCode = code ?? (signal === null ? 1 : 128);
            resolve();
          });
        }),
    );
}
