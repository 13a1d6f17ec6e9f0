/** Compiles to dist/ when a source file, the compiler's options or the packages have changed since the last build. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path, size and time of every input of the build: cheap, and enough to notice a change. */
function fingerprint(root) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const stat = statSync(join(root, path));
    if (stat.isDirectory()) for (const name of readdirSync(join(root, path)).sort()) visit(join(path, name));
    else if (/\.(ts|json)$/.test(path)) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
  };
  for (const path of ['src', 'suites', 'tsconfig.json', 'package-lock.json']) visit(path);
  return hash.digest('hex');
}

/** @param {string} root the checkout */
export function ensureBuild(root) {
  const stamp = join(root, 'dist', '.fingerprint');
  const wanted = fingerprint(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('set-up: compiling to dist/');
  // A file that is gone from src/ must not live on in dist/, where it could still be imported.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const done = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) throw new Error('the compiler refused; see its messages above');
  writeFileSync(stamp, wanted);
}
