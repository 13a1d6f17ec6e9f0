/**
 * Bundles the peers' programs into one file each under dist/programs/, with the code that V8 makes of it: a peer starts
 * in half the time when its few hundred modules are one, and in less when that one need not be compiled. Everything
 * else, the harness included, runs from the compiled modules.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PROGRAMS = 'programs';

/** By the file's name. */
const ENTRIES = {
  'oab-peer': 'src/cli/oab-peer.js',
  'planted-peer': 'src/harness/defects/main.js',
  'halted-peer': 'src/harness/boundaries/main.js',
  'baseline-peer': 'fixtures/peers/baseline/main.js',
};

/** A thread of the others: it stands beside them as it is. */
const WRITER = { 'writer-worker': 'src/journal/writer-worker.js' };

/** What packages bring that only `require` can load: a native module, and optional ones that are not installed. */
const EXTERNAL = ['better-sqlite3', 'bufferutil', 'utf-8-validate'];

/** The peers whose code is kept, with what their command lines have before the role: a run in which nothing is broken. */
const WARMED = {
  'oab-peer': () => [],
  'planted-peer': () => ['grants-by-name'],
  'halted-peer': (folder) => [folder, 'none'],
};

/** Of undici the peers use few parts; the whole of it is a third of a bundle. */
function partOfUndici(root) {
  const path = join(root, 'src/setup/undici-parts.mjs');
  return {
    name: 'part of undici',
    setup: (build) => build.onResolve({ filter: /^undici$/ }, () => ({ path })),
  };
}

const WARM_MS = 60_000;

/** @param {string} root the checkout, compiled to dist/ */
export async function bundlePrograms(root) {
  // Here, since this file is also loaded before the packages are installed.
  const { build } = await import('esbuild');
  const dist = join(root, 'dist');
  const folder = join(dist, PROGRAMS);
  rmSync(folder, { recursive: true, force: true });
  const bundle = (entries, ending) =>
    build({
      entryPoints: Object.fromEntries(
        Object.entries(entries).map(([name, path]) => [name, join(dist, path)]),
      ),
      outdir: folder,
      outExtension: { '.js': ending },
      bundle: true,
      platform: 'node',
      // CommonJS, since only scripts can be started from code that is kept.
      format: 'cjs',
      target: 'node20',
      external: EXTERNAL,
      plugins: [partOfUndici(root)],
      define: { 'import.meta.url': 'programUrl' },
      banner: { js: "const programUrl = require('node:url').pathToFileURL(__filename).href;" },
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'warning',
    });
  await Promise.all([bundle(ENTRIES, '.cjs'), bundle(WRITER, '.js')]);
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  copyFileSync(join(root, 'src/setup/start-program.cjs'), join(folder, 'start.cjs'));
  for (const name of Object.keys(ENTRIES)) {
    const file = join(folder, `${name}.js`);
    writeFileSync(
      file,
      `#!/usr/bin/env node\nrequire('./start.cjs').start(require.resolve('./${name}.cjs'));\n`,
    );
    chmodSync(file, 0o755);
  }
  await Promise.all(Object.entries(WARMED).map(([name, before]) => warm(root, folder, name, before)));
}

/** Leaves the code of a run beside the bundle. A program starts without it too, only slower. */
async function warm(root, folder, name, before) {
  const work = mkdtempSync(join(tmpdir(), 'oab-warm-'));
  try {
    for (const keys of ['results', 'tokens'])
      await ended([join(folder, 'oab-peer.js'), 'keys', 'new', join(work, `${keys}.jwks`)]);
    await ended([
      join(root, 'src/setup/warm-program.cjs'),
      join(folder, 'start.cjs'),
      join(folder, `${name}.cjs`),
      work,
      join(root, 'fixtures/agents/scripted.mjs'),
      ...before(work),
    ]);
  } catch (error) {
    console.error(`set-up: ${name} will start more slowly, its code could not be kept: ${error.message}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function ended(argv) {
  const child = spawn(process.execPath, argv, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
    timeout: WARM_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`it ended with ${code ?? signal}: ${said}`);
}
