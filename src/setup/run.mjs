#!/usr/bin/env node
/**
 * The one door of every npm script: brings a fresh clone to the point where TARGET can run, then runs it.
 * Plain JavaScript, since it runs before anything is installed or compiled. Everything that it installs lands inside
 * the checkout (`node_modules/`, `dist/`, `.tools/`).
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ensureBuild } from './build.mjs';
import { check } from './check.mjs';
import { ensureModules } from './modules.mjs';
import { ensureToxiproxy } from './toxiproxy.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [target, ...args] = process.argv.slice(2);

/** Runs a program in the checkout with our own terminal, and returns its exit code. */
function run(program, argv) {
  const done = spawnSync(program, argv, { cwd: root, stdio: 'inherit' });
  if (done.error) throw new Error(`${program} did not start: ${done.error.message}`);
  return done.status ?? 1;
}

const node = process.execPath;
/** Most tests wait for processes that start or for the network: with one process of tests the cores would stand idle. */
const jobs = String(Math.min(Math.max(availableParallelism(), 2), 4));
const mocha = ['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', jobs];
const reporter = ['--reporter', 'src/setup/reporter.cjs'];

const targets = {
  build: () => 0,
  gate: async () => {
    await ensureToxiproxy(root);
    return run(node, ['--enable-source-maps', 'dist/src/cli/oab-gate.js', 'run', ...args]);
  },
  power: async () => {
    await ensureToxiproxy(root);
    return run(node, ['--enable-source-maps', 'dist/src/cli/oab-gate.js', 'power', ...args]);
  },
  bench: () => run(node, ['--enable-source-maps', 'dist/src/bench/main.js', ...args]),
  test: async () => {
    await ensureToxiproxy(root);
    return run(node, [...mocha, ...reporter, ...args]);
  },
  check: () => check(root),
};

if (!(target in targets)) {
  console.error(`usage: node src/setup/run.mjs ${Object.keys(targets).join('|')} [arguments]`);
  process.exit(2);
}
try {
  ensureModules(root);
  await ensureBuild(root);
  process.exitCode = await targets[target]();
} catch (error) {
  console.error(`set-up failed: ${error.message}`);
  process.exitCode = 1;
}
