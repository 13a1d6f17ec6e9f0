/** `oab-peer audit`: the executor's decisions, and whether their chain holds. */
import { Command } from 'commander';

interface Options {
  config: string;
  json?: boolean;
  task?: string;
  kind?: string;
}

export function auditCommand(): Command {
  return new Command('audit')
    .description('print the audit of an executor, one row per decision, and verify its hash chain')
    .requiredOption('--config <file>', 'executor.yaml')
    .option('--task <id>', 'rows of one task')
    .option(
      '--kind <kind>',
      'admitted, duplicate, refused, rejected, permission, cancel, terminal, start, stop',
    )
    .option('--json', 'NDJSON')
    .addHelpText('after', '\nExit codes: 0 the chain holds, 1 it is broken. It may run beside the executor.')
    .action(async (options: Options) => {
      const { readAudit } = await import('../../peer/audit.js');
      const { rows, brokenAt } = readAudit(options.config);
      for (const row of rows) {
        if (options.task !== undefined && row.taskId !== options.task) continue;
        if (options.kind !== undefined && row.kind !== options.kind) continue;
        if (options.json === true)
          console.log(JSON.stringify({ ...row, at: new Date(row.at).toISOString() }));
        else
          console.log(
            `${String(row.index).padStart(6)}  ${new Date(row.at).toISOString()}  ${row.kind.padEnd(10)}  ${row.peer ?? '-'}  ${row.taskId ?? '-'}  ${JSON.stringify(row.detail)}`,
          );
      }
      if (brokenAt !== undefined)
        console.error(`the chain is broken at row ${brokenAt}: a row was changed, dropped or moved`);
      process.exitCode = brokenAt === undefined ? 0 : 1;
    });
}
