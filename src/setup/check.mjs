/** `npm run check`: format and lint, strict types, import rules, unused code, obligations; all are run, then all is told. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose every source file the import check must have seen: it passes over in silence what it cannot compile. */
const CRUISED = ['src', 'suites'];

/** @param {string} root the checkout @returns {number} 0, or 1 when a step failed */
export function check(root) {
  const bin = (name) => join(root, 'node_modules', '.bin', name);
  const steps = [
    [
      'format and lint',
      () =>
        plain(root, bin('biome'), [
          'ci',
          '--error-on-warnings',
          ...(process.stdout.isTTY ? [] : ['--colors=off']),
          '.',
        ]),
    ],
    ['types', () => plain(root, bin('tsc'), ['-p', '.', '--noEmit'])],
    ['import rules', () => imports(root, bin('depcruise'))],
    ['unused code', () => plain(root, bin('knip'), [])],
    [
      'obligations',
      () => plain(root, process.execPath, ['dist/src/cli/oab-gate.js', 'list', 'obligations', '--check']),
    ],
  ];
  let failed = 0;
  for (const [name, step] of steps) {
    const started = Date.now();
    const ok = step();
    if (!ok) failed += 1;
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  }
  return failed === 0 ? 0 : 1;
}

function plain(root, program, args) {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

function imports(root, depcruise) {
  const done = spawnSync(depcruise, [...CRUISED, '--output-type', 'json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  let report;
  try {
    report = JSON.parse(done.stdout);
  } catch {
    console.log(done.stderr || done.stdout.slice(0, 2000));
    return false;
  }
  const { violations } = report.summary;
  for (const violation of violations)
    console.log(`  ${violation.rule.name}: ${violation.from} -> ${violation.to}`);
  const seen = new Set(report.modules.map(({ source }) => source));
  const unseen = CRUISED.flatMap((folder) => sourcesBelow(root, folder)).filter((path) => !seen.has(path));
  for (const path of unseen.slice(0, 5)) console.log(`  ${path} was not looked at`);
  return violations.length === 0 && unseen.length === 0;
}

/** The TypeScript files below a folder, as paths from the checkout with forward slashes. */
function sourcesBelow(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}
