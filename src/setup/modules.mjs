/** Installs exactly what the lock file names, once per lock file and Node.js version. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MINIMUM = [20, 19];

/** @param {string} root the checkout */
export function ensureModules(root) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
    throw new Error(`Node.js ${MINIMUM.join('.')} or newer is needed, this is ${process.versions.node}`);
  }
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const wanted = `${lock} ${process.version} ${process.platform}-${process.arch}\n`;
  const stamp = join(root, 'node_modules', '.oab-setup');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  console.error(
    'set-up: installing the packages of package-lock.json (about a minute; better-sqlite3 compiles where no prebuilt fits)',
  );
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) {
    throw new Error(
      'npm ci failed; see its message above. better-sqlite3 needs a C++ compiler, make and Python 3 to compile',
    );
  }
  const probe = spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:').close()"], {
    cwd: root,
    encoding: 'utf8',
  });
  if (probe.status !== 0) {
    throw new Error(
      `better-sqlite3 does not load; install a C++ compiler, make and Python 3, then run "npm rebuild better-sqlite3"\n${probe.stderr}`,
    );
  }
  writeFileSync(stamp, wanted);
}
