/** `oab-peer keys new | list`. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { readKeyFile, writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { UsageError } from '../usage-error.js';

export function keysCommand(): Command {
  return new Command('keys')
    .description('make and list key files')
    .addCommand(newCommand())
    .addCommand(listCommand());
}

function newCommand(): Command {
  return new Command('new')
    .description('make a new Ed25519 key: FILE (mode 0600) and its public half beside it as NAME.pub.jwks')
    .argument('<file>', 'key file to make, such as keys/tokens.jwks')
    .addHelpText(
      'after',
      '\nGive the public half to the other side: an executor trusts token keys, a coordinator trusts result keys.',
    )
    .action((file: string) => {
      if (existsSync(file)) throw new UsageError(`${file} exists already; name a new file`);
      const key = newKey(Date.now());
      const half = file.replace(/(\.jwks)?$/, '.pub.jwks');
      writeKeyFile(file, [key], 'private');
      writeKeyFile(half, [key], 'public');
      console.log(`${file}\n${half}\nkid ${key.kid}`);
      process.exitCode = 0;
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('list the keys of a file; never their private halves')
    .argument('<file>', 'key file')
    .option('--json', 'JSON')
    .action((file: string, options: { json?: boolean }) => {
      const rows = readKeyFile(file).map(({ kid, state, notBefore, notAfter, d }) => ({
        kid,
        state,
        not_before: new Date(notBefore).toISOString(),
        not_after: notAfter === undefined ? null : new Date(notAfter).toISOString(),
        private: d !== undefined,
      }));
      if (options.json === true) console.log(JSON.stringify(rows));
      else
        for (const row of rows)
          console.log(
            `${row.kid}  ${row.state}  from ${row.not_before}${row.not_after === null ? '' : ` to ${row.not_after}`}${row.private ? '  private' : ''}`,
          );
      process.exitCode = 0;
    });
}
