/** The results as a table for people. */
import type { Result } from './run.js';

/** Three significant digits, without an exponent. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toFixed(Math.min(3, digits));
}

const HEAD = ['measurement', 'unit', 'first arm', 'second arm', 'ratio', 'min..max', 'CPU', 'aim'];

export function table(results: readonly Result[]): string {
  const rows = [HEAD, ...results.flatMap((result) => [row(result), ...furtherRows(result)])];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const notes = results.flatMap(({ name, note, missing = [] }) =>
    [
      ...(note === undefined ? [] : [note]),
      ...missing.map(({ label, why }) => `${label} is not measured: ${why}`),
    ].map((text) => `${name}: ${text}.`),
  );
  return [...rows.map(line), '', ...notes].join('\n');
}

function row({ title, unit, arms, ratio, cpuRatio, aims }: Result): string[] {
  return [
    title,
    unit,
    ...arms.slice(0, 2).map(({ label, spread }) => `${label} ${figure(spread.median)}`),
    figure(ratio.median),
    `${figure(ratio.min)}..${figure(ratio.max)}`,
    cpuRatio === undefined ? '' : figure(cpuRatio.median),
    aims.map(aimText).join(', '),
  ];
}

/** The first arm beside each one after the second, and those that could not be had. */
function furtherRows({ arms, others = [], missing = [] }: Result): string[][] {
  const further = others.map(({ ratio, cpuRatio }, index) => {
    const { label = '', spread } = arms[index + 2] ?? {};
    return [
      '',
      '',
      '',
      `${label} ${figure(spread?.median ?? Number.NaN)}`,
      figure(ratio.median),
      `${figure(ratio.min)}..${figure(ratio.max)}`,
      cpuRatio === undefined ? '' : figure(cpuRatio.median),
      '',
    ];
  });
  return [...further, ...missing.map(({ label }) => ['', '', '', `${label} not measured`])];
}

function aimText({ of, least, most, met }: Result['aims'][number]): string {
  const bound = least === undefined ? `≤ ${most}` : `≥ ${least}`;
  const verdict = met === undefined ? 'not measured' : met ? 'met' : 'MISSED';
  return `${of === 'ratio' ? '' : 'first '}${bound} ${verdict}`;
}
