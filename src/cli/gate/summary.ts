/** What a person reads at the end of a run. */
import { dirname, join } from 'node:path';
import { exitCode } from '../../gate/exit-code.js';
import type { Verdict } from '../../gate/verdict.js';
import type { CheckResult } from '../../harness/check.js';
import { sentence } from '../../report/sentence.js';

const SLOWEST = 10;

export function summary(verdict: Verdict, checks: readonly CheckResult[], files: readonly string[]): string {
  const { planned, passed, failed, undetermined, not_exercised, not_run } = verdict.totals;
  const lines = [
    '',
    `${planned} checks: ${passed} passed, ${failed} failed, ${undetermined} undetermined, ${not_exercised} not exercised, ${not_run} not run`,
  ];
  const shown = checks.filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'undetermined' || outcome === 'not_exercised',
  );
  for (const { criterion, cell, outcome, reason, cases } of shown) {
    lines.push(
      `  ${outcome.replace('_', ' ')}: ${criterion} ${cell.binding} ${cell.topology}: ${reason ?? ''}`,
    );
    for (const one of cases.filter((result) => result.outcome === outcome)) {
      const capsule = one.evidence.find((path) => path.endsWith('/capsule.json'));
      lines.push(
        capsule === undefined
          ? `    oab-gate replay --case ${one.id} --seed ${verdict.seed}`
          : `    oab-gate replay ${join(dirname(files[0] ?? ''), capsule)}`,
      );
    }
  }
  const slow = [...checks]
    .filter(({ duration_ms }) => duration_ms > 0)
    .sort((a, b) => b.duration_ms - a.duration_ms)
    .slice(0, SLOWEST);
  if (slow.length > 0)
    lines.push(
      `slowest: ${slow.map(({ criterion, duration_ms }) => `${criterion} ${(duration_ms / 1000).toFixed(1)} s`).join(', ')}`,
    );
  const { defects, defects_caught } = verdict.score;
  if (defects > 0) lines.push(`planted defects caught: ${defects_caught} of ${defects}`);
  lines.push(
    `fault injector: ${String(verdict.components.fault_injector)}; seed ${verdict.seed}; ${(verdict.duration_ms / 1000).toFixed(1)} s`,
    `written: ${files.join(', ')}`,
    sentence(verdict),
    `exit ${exitCode(verdict, false)}`,
  );
  return lines.join('\n');
}
