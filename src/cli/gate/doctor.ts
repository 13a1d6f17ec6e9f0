/** `oab-gate doctor`: what this machine has for a run, what stands in, and how to get the rest. */
import { Command } from 'commander';
import { findServer, openInjector } from '../../harness/faults/open-injector.js';

interface Row {
  component: string;
  state: 'found' | 'embedded' | 'missing';
  detail: string;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('show the components that a run would use')
    .option('--json', 'JSON')
    .action(async (options: { json?: boolean }) => {
      const rows = [nodeRow(), await injectorRow()];
      if (options.json === true) console.log(JSON.stringify(rows, null, 2));
      else
        for (const { component, state, detail } of rows)
          console.log(`${component.padEnd(16)}${state.padEnd(10)}${detail}`);
      process.exitCode = rows.some(({ state }) => state === 'missing') ? 1 : 0;
    });
}

function nodeRow(): Row {
  return { component: 'Node.js', state: 'found', detail: process.version };
}

async function injectorRow(): Promise<Row> {
  const injector = await openInjector();
  const { kind, version } = injector;
  await injector.close();
  if (kind === 'toxiproxy')
    return {
      component: 'Toxiproxy',
      state: 'found',
      detail: `${version} ${process.env.TOXIPROXY_URL ?? findServer() ?? ''}`,
    };
  return {
    component: 'Toxiproxy',
    state: 'embedded',
    detail:
      'the embedded stand-in serves, and decisions are provisional; "node src/setup/toxiproxy.mjs" builds the server where Go is installed',
  };
}
