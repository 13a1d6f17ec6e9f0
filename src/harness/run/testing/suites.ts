/** What tests of a run are made of: cases, suites and options that need no subject. */
import type { Cell } from '../../check.js';
import type { CaseSpec, Suite } from '../../suite.js';
import type { CaseLab } from '../case-lab.js';
import type { RunOptions } from '../options.js';

const cell: Cell = { binding: 'JSONRPC', topology: 'direct' };
export const one = (
  name: string,
  body: (lab: CaseLab) => Promise<void> | void,
  more: Partial<CaseSpec<CaseLab>> = {},
): CaseSpec<CaseLab> => ({
  name,
  estimateMs: 10,
  deadlineMs: 5000,
  run: async (lab) => body(lab),
  ...more,
});
export const suite = (criterion: string, ...cases: CaseSpec<CaseLab>[]): Suite<CaseLab> => ({
  criterion,
  cases: () => cases,
});

/** A run of these suites, and of PRF-01, which has none. */
export const optionsOf = (
  out: string,
  suites: Suite<CaseLab>[],
  more: Partial<RunOptions> = {},
): RunOptions => ({
  criteria: [
    ...suites.map(({ criterion }) => ({ id: criterion, cells: [cell] })),
    { id: 'PRF-01', cells: [cell] },
  ],
  suites,
  seed: 7,
  out,
  budgetMs: 60_000,
  ...more,
});
