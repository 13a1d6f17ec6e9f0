/** JUnit XML, for CI systems: a suite per gate, a test per check; what proves nothing is never a pass. */
import { criterionOf } from '../gate/registry.js';
import type { Verdict } from '../gate/verdict.js';
import type { CheckResult } from '../harness/check.js';

export function junit(verdict: Verdict, checks: readonly CheckResult[]): string {
  const { planned, failed, undetermined, not_exercised, not_run } = verdict.totals;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="oab-gate" tests="${planned}" failures="${failed}" errors="${undetermined}" skipped="${
      not_exercised + not_run
    }" time="${seconds(verdict.duration_ms)}">`,
  ];
  for (const gate of ['replay', 'relay', 'profile'] as const) {
    const own = checks.filter(({ criterion }) => criterionOf(criterion).gate === gate);
    if (own.length === 0) continue;
    lines.push(
      `  <testsuite name="${gate}" tests="${own.length}">`,
      ...own.flatMap(testcase),
      '  </testsuite>',
    );
  }
  lines.push('</testsuites>', '');
  return lines.join('\n');
}

function testcase(check: CheckResult): string[] {
  const { criterion, cell, outcome, reason = '' } = check;
  const open = `    <testcase classname="${criterion}" name="${xmlText(`${criterion} ${cell.binding} ${cell.topology}`)}" time="${seconds(
    check.duration_ms,
  )}"`;
  if (outcome === 'passed') return [`${open}/>`];
  const element = { failed: 'failure', undetermined: 'error', not_exercised: 'skipped', not_run: 'skipped' }[
    outcome
  ];
  const evidence = check.cases.flatMap((one) => one.evidence).join('\n');
  const body = xmlText(`${criterionOf(criterion).statement}\n${evidence}`);
  return [
    `${open}>`,
    `      <${element} message="${xmlText(`${outcome.replace('_', '-')}: ${reason}`)}">${element === 'skipped' ? '' : body}</${element}>`,
    '    </testcase>',
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML text; characters that XML 1.0 cannot carry become the replacement character. */
function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
