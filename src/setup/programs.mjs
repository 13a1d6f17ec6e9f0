/**
 * Bundles the peers' programs into one file each under dist/programs/: a peer starts in half the time when its few
 * hundred modules are one. Everything else, the harness included, runs from the compiled modules.
 */
import { join } from 'node:path';

export const PROGRAMS = 'programs';

/** By the file's name. The writer is a thread of the others, and stands beside them. */
const ENTRIES = {
  'oab-peer': 'src/cli/oab-peer.js',
  'planted-peer': 'src/harness/defects/main.js',
  'halted-peer': 'src/harness/boundaries/main.js',
  'baseline-peer': 'fixtures/peers/baseline/main.js',
  'writer-worker': 'src/journal/writer-worker.js',
};

/** What packages bring that only `require` can load: a native module, and optional ones that are not installed. */
const EXTERNAL = ['better-sqlite3', 'bufferutil', 'utf-8-validate'];

/** @param {string} root the checkout, compiled to dist/ */
export async function bundlePrograms(root) {
  // Here, since this file is also loaded before the packages are installed.
  const { build } = await import('esbuild');
  const dist = join(root, 'dist');
  await build({
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(dist, path)])),
    outdir: join(dist, PROGRAMS),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    // CommonJS packages inside the bundle ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as programRequire } from 'node:module'; const require = programRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}
