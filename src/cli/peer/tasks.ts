/** `oab-peer tasks` and `oab-peer status`: what this coordinator knows, from its own store. */
import { Command } from 'commander';
import type { ResultLine } from '../../coordinator/lines.js';
import type { Delegation } from '../../coordinator/store.js';
import { UsageError } from '../usage-error.js';
import { printable } from './print.js';

interface Options {
  config: string;
  json?: boolean;
}

export function tasksCommand(): Command {
  return new Command('tasks')
    .description('list the delegations of this coordinator, oldest first')
    .requiredOption('--config <file>', 'coordinator.yaml')
    .option('--json', 'NDJSON')
    .action(async (options: Options) => {
      const { openCoordinator } = await import('../../peer/coordinator.js');
      const open = openCoordinator(options.config);
      for (const delegation of open.coordinator.tasks()) show(delegation, options);
      open.close();
      process.exitCode = 0;
    });
}

export function statusCommand(): Command {
  return new Command('status')
    .description('show one delegation as it is known here')
    .argument('<id>', 'task id or request id')
    .requiredOption('--config <file>', 'coordinator.yaml')
    .option('--json', 'JSON')
    .action(async (id: string, options: Options) => {
      const { openCoordinator } = await import('../../peer/coordinator.js');
      const open = openCoordinator(options.config);
      const found = open.coordinator.status(id);
      open.close();
      if (found === undefined)
        throw new UsageError(`no delegation ${id} is known here; "oab-peer tasks" lists them`);
      show(found, options);
      process.exitCode = 0;
    });
}

function show(delegation: Delegation, { json }: Options): void {
  const result = delegation.result === undefined ? undefined : (JSON.parse(delegation.result) as ResultLine);
  const row = {
    request_id: delegation.requestId,
    task_id: delegation.taskId ?? null,
    peer: delegation.peer,
    created_at: new Date(delegation.createdAt).toISOString(),
    state: result?.outcome ?? (delegation.taskId === undefined ? 'sending' : 'running'),
    verified: result?.verified ?? false,
    last_sequence: delegation.sequence,
  };
  if (json === true) console.log(JSON.stringify(row));
  else
    console.log(
      `${row.created_at}  ${row.request_id}  ${printable(row.task_id ?? '-')}  ${row.peer}  ${row.state}${row.verified ? ' (verified)' : ''}`,
    );
}
