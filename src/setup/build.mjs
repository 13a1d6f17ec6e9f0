/** Compiles to dist/ when a source file, the compiler's options or the packages have changed since the last build. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePrograms, PROGRAMS } from './programs.mjs';

const OUTPUT = /\.(js|js\.map|json)$/;

/** Path, size and time of every input of the build: cheap, and enough to notice a change. */
function fingerprint(root) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const stat = statSync(join(root, path));
    if (stat.isDirectory()) for (const name of readdirSync(join(root, path)).sort()) visit(join(path, name));
    else if (/\.(ts|json|mjs)$/.test(path)) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
  };
  for (const path of ['src', 'suites', 'fixtures/peers', 'tsconfig.json', 'package-lock.json']) visit(path);
  return hash.digest('hex');
}

/** A file that is gone from src/ must not live on in dist/, where it could still be imported. */
function removeStale(root) {
  const dist = join(root, 'dist');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const source = join(root, path.slice(dist.length));
    const known = ['.ts', '.json'].some((ext) => existsSync(source.replace(OUTPUT, ext)));
    if (entry.isFile() && OUTPUT.test(entry.name) && !path.startsWith(join(dist, PROGRAMS)) && !known)
      rmSync(path);
  }
}

/** @param {string} root the checkout */
export async function ensureBuild(root) {
  const stamp = join(root, 'dist', '.fingerprint');
  const wanted = fingerprint(root);
  if (existsSync(stamp)) {
    if (readFileSync(stamp, 'utf8') === wanted) return;
    removeStale(root);
  } else rmSync(join(root, 'dist'), { recursive: true, force: true });
  console.error('set-up: compiling to dist/');
  // Until all is done: what is half built is built anew.
  rmSync(stamp, { force: true });
  const done = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) throw new Error('the compiler refused; see its messages above');
  await bundlePrograms(root);
  writeFileSync(stamp, wanted);
}
