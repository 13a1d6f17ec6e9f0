#!/usr/bin/env node
/**
 * For CI: fails when a check failed or was undetermined, when the embedded fault injector was used, or when what was not
 * run or exercised differs from the committed list, so that nothing falls out of the gate unnoticed. `--write` renews the list.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [verdictFile, listFile, write] = process.argv.slice(2);
const verdict = JSON.parse(readFileSync(verdictFile, 'utf8'));
const checks = JSON.parse(readFileSync(join(dirname(verdictFile), 'evidence', 'checks.json'), 'utf8'));
const open = checks
  .filter(({ outcome }) => outcome === 'not_run' || outcome === 'not_exercised')
  .map(({ criterion, cell, outcome }) => `${criterion} ${cell.binding} ${cell.topology} ${outcome}`);

if (write === '--write') writeFileSync(listFile, `${JSON.stringify(open, null, 2)}\n`);
const expected = JSON.parse(readFileSync(listFile, 'utf8'));
const wrong = checks.filter(({ outcome }) => outcome === 'failed' || outcome === 'undetermined');
const problems = [
  ...wrong.map(
    ({ criterion, cell, outcome, reason }) =>
      `${criterion} ${cell.binding} ${cell.topology} ${outcome}: ${reason}`,
  ),
  ...(String(verdict.components.fault_injector).startsWith('toxiproxy')
    ? []
    : [`the fault injector was ${verdict.components.fault_injector}`]),
  ...open.filter((row) => !expected.includes(row)).map((row) => `${row}: is not in ${listFile}`),
  ...expected.filter((row) => !open.includes(row)).map((row) => `${row}: is in ${listFile} and ran`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
