/** `oab-peer executor`, `coordinator` and `relay`: the processes that stay up, each with its own code alone. */
import { Command } from 'commander';

export function executorCommand(): Command {
  return new Command('executor')
    .description(
      'run an executor (OAB B); prints one ready line, logs on stderr, drains on SIGTERM, reads keys again on SIGHUP',
    )
    .requiredOption('--config <file>', 'executor.yaml')
    .addHelpText('after', '\nExample:\n  oab-peer executor --config fixtures/configs/executor.yaml')
    .action(async ({ config }: { config: string }) => {
      const { runExecutor } = await import('../../peer/executor.js');
      await runExecutor(config);
      process.exitCode = 0;
    });
}

export function coordinatorCommand(): Command {
  return new Command('coordinator')
    .description('run a coordinator (OAB A) that follows every open delegation and serves the other commands')
    .requiredOption('--config <file>', 'coordinator.yaml')
    .addHelpText('after', '\nExample:\n  oab-peer coordinator --config fixtures/configs/coordinator.yaml')
    .action(async ({ config }: { config: string }) => {
      const { runCoordinator } = await import('../../peer/coordinator-daemon.js');
      await runCoordinator(config);
      process.exitCode = 0;
    });
}

export function relayCommand(): Command {
  return new Command('relay')
    .description(
      'run a blind relay: executors dial in and stay, coordinators ask for one by HTTP CONNECT; TLS goes through it end to end',
    )
    .requiredOption('--config <file>', 'relay.yaml')
    .addHelpText('after', '\nExample:\n  oab-peer relay --config fixtures/configs/relay.yaml')
    .action(async ({ config }: { config: string }) => {
      const { runRelay } = await import('../../peer/relay.js');
      await runRelay(config);
      process.exitCode = 0;
    });
}
