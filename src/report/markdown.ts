/** The short conformance report (O-60), as Markdown: decision, why, the matrix, each failure with its `replay` line. */
import { criterionOf } from '../gate/registry.js';
import type { GateState, Verdict } from '../gate/verdict.js';
import type { CheckResult } from '../harness/check.js';
import { sentence } from './sentence.js';

const MARK = { passed: '✓', failed: '✗', undetermined: '?', not_exercised: '–', not_run: '·' } as const;

export function markdown(verdict: Verdict, checks: readonly CheckResult[]): string {
  const { totals, score } = verdict;
  const lines = [
    `# Gate verdict: ${verdict.decision}${verdict.provisional ? ' (provisional)' : ''}`,
    '',
    sentence(verdict),
    '',
    `${totals.planned} checks planned: ${totals.passed} passed, ${totals.failed} failed, ${totals.undetermined} undetermined, ${totals.not_exercised} not exercised, ${totals.not_run} not run.`,
    `Seed ${verdict.seed}, started ${verdict.started_at}, ${(verdict.duration_ms / 1000).toFixed(1)} s.`,
    ...(score.defects > 0 ? [`Planted defects caught: ${score.defects_caught} of ${score.defects}.`] : []),
    '',
    '## Gates',
    '',
    '| gate | binding | direct | dual-outbound |',
    '| --- | --- | --- | --- |',
  ];
  for (const [gate, rows] of Object.entries(verdict.gates)) {
    for (const [binding, cells] of Object.entries(rows)) {
      lines.push(`| ${gate} | ${binding} | ${cell(cells?.direct)} | ${cell(cells?.['dual-outbound'])} |`);
    }
  }
  lines.push('', '## Criteria', '', '✓ passed, ✗ failed, ? undetermined, – not exercised, · not run', '');
  lines.push('| criterion | cells | statement |', '| --- | --- | --- |');
  for (const id of new Set(checks.map(({ criterion }) => criterion))) {
    const own = checks.filter(({ criterion }) => criterion === id);
    const marks = own.map(
      ({ cell: { binding, topology }, outcome }) => `${MARK[outcome]} ${binding} ${topology}`,
    );
    lines.push(`| ${id} | ${marks.join('<br>')} | ${text(criterionOf(id).statement)} |`);
  }
  if (verdict.failed_criteria.length > 0) lines.push('', '## Failed', '');
  for (const failure of verdict.failed_criteria) {
    lines.push(`- **${failure.criterion}** ${failure.binding} ${failure.topology}: ${text(failure.reason)}`);
    for (const file of failure.evidence) lines.push(`  - [${file}](${encodeURI(file)})`);
  }
  const open = checks.filter(({ outcome }) => outcome === 'undetermined' || outcome === 'not_exercised');
  if (open.length > 0) lines.push('', '## Not proven', '');
  for (const {
    criterion,
    cell: { binding, topology },
    outcome,
    reason,
  } of open) {
    lines.push(
      `- ${criterion} ${binding} ${topology}: ${outcome.replace('_', ' ')}, ${text(reason ?? 'no reason given')}`,
    );
  }
  if (verdict.flips.length > 0) {
    lines.push('', '## What would change it', '');
    for (const { criterion, binding, outcome } of verdict.flips) {
      lines.push(`- ${criterion === '*' ? 'any criterion' : criterion} on ${binding}, if it had ${outcome}`);
    }
  }
  lines.push('');
  return lines.join('\n');
}

function cell(state: GateState | undefined): string {
  return state ?? '';
}

/** One line of a table or list: no markup of a peer's text survives. */
function text(value: string): string {
  return value.replaceAll('\n', ' ').replace(/[\\|<>*_`[\]]/g, (character) => `\\${character}`);
}
