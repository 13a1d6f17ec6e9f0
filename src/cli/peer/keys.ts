/** `oab-peer keys new | add | retire | revoke | list`. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { readKeyFile } from '../../identity/key-file.js';
import { addKeys, changeState, makeKeyFile } from '../../peer/keys.js';
import { UsageError } from '../usage-error.js';

export function keysCommand(): Command {
  return new Command('keys')
    .description('make, list and rotate key files')
    .addCommand(newCommand())
    .addCommand(addCommand())
    .addCommand(stateCommand('retire', 'what it signed so far stays valid, and it signs nothing more'))
    .addCommand(stateCommand('revoke', 'nothing that it ever signed is valid any more'))
    .addCommand(listCommand())
    .addHelpText(
      'after',
      `
To rotate FILE without losing a task:
  oab-peer keys new next.jwks                         a new key beside it
  oab-peer keys add TRUSTED.pub.jwks next.pub.jwks    where the other side verifies; wait until it has read it again
  oab-peer keys add FILE next.jwks                    from now on it signs
  oab-peer keys retire FILE OLD-KID                   and the same on the other side`,
    );
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
      const half = file.replace(/(\.jwks)?$/, '.pub.jwks');
      for (const one of [file, half])
        if (existsSync(one)) throw new UsageError(`${one} exists already; name a new file`);
      console.log(`${file}\n${half}\nkid ${makeKeyFile(file, half)}`);
      process.exitCode = 0;
    });
}

function addCommand(): Command {
  return new Command('add')
    .description('add the keys of one file to another: the newest active private key signs')
    .argument('<file>', 'key file to change')
    .argument('<other>', 'key file to take keys from')
    .action((file: string, other: string) => {
      console.log(`${addKeys(file, other)} added to ${file}`);
      process.exitCode = 0;
    });
}

function stateCommand(name: 'retire' | 'revoke', meaning: string): Command {
  return new Command(name)
    .description(`${name} a key: ${meaning}`)
    .argument('<file>', 'key file to change')
    .argument('<kid>', 'key id, as "keys list" shows it')
    .addHelpText(
      'after',
      `\nAn id that begins with a dash goes behind "--": oab-peer keys ${name} -- FILE KID`,
    )
    .action((file: string, kid: string) => {
      const state = name === 'retire' ? 'retired' : 'revoked';
      if (!changeState(file, kid, state, Date.now()))
        throw new UsageError(
          `${file}: no key ${kid} that could be ${state}; "oab-peer keys list" shows them`,
        );
      console.log(`${kid} is ${state} in ${file}`);
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
