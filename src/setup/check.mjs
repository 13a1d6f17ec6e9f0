/** `npm run check`: format and lint, strict types, import rules, unused code, obligations; all are run, then all is told. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Fewer modules than this means that the import check saw nothing (it passes over what it cannot compile). */
const LEAST_MODULES = 60;

/** @param {string} root the checkout @returns {number} 0, or 1 when a step failed */
export function check(root) {
  const bin = (name) => join(root, 'node_modules', '.bin', name);
  const steps = [
    ['format and lint', () => plain(root, bin('biome'), ['ci', '--error-on-warnings', '.'])],
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
  const done = spawnSync(depcruise, ['src', 'suites', '--output-type', 'json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  let summary;
  try {
    summary = JSON.parse(done.stdout).summary;
  } catch {
    console.log(done.stderr || done.stdout.slice(0, 2000));
    return false;
  }
  for (const violation of summary.violations) {
    console.log(`  ${violation.rule.name}: ${violation.from} -> ${violation.to}`);
  }
  const seen = summary.totalCruised;
  if (seen < LEAST_MODULES) console.log(`  only ${seen} modules were seen: the check is not looking`);
  return summary.violations.length === 0 && seen >= LEAST_MODULES;
}
