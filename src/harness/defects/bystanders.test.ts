import assert from 'node:assert/strict';
import type { CaseSpec, Suite } from '../suite.js';
import { bystandersOf, oneCaseOfBystanders } from './bystanders.js';
import { defects } from './registry.js';

const cell = { binding: 'JSONRPC', topology: 'direct' } as const;
const spec = (name: string): CaseSpec<null> => ({
  name,
  estimateMs: 1,
  deadlineMs: 1,
  run: async () => {},
});
const suite = (criterion: string, ...names: string[]): Suite<null> => ({
  criterion,
  cases: () => names.map(spec),
});
const namesOf = ({ cases }: Suite<null>) => cases(cell).map(({ name }) => name);

describe('bystanders', () => {
  it('run one case each, the same for one seed; what is declared runs whole', () => {
    const suites = [suite('RPL-02', 'a', 'b', 'c'), suite('RPL-03', 'd', 'e'), suite('RPL-04')];
    const defect = { id: 'x', fails: ['RPL-03'] };
    const taken = () => oneCaseOfBystanders(suites, defect, 1).map(namesOf);
    assert.deepEqual(
      taken().map(({ length }) => length),
      [1, 2, 0],
    );
    assert.deepEqual(taken(), taken());
  });

  it('meet every case, all defects together', () => {
    const suites = [suite('RPL-03', 'a', 'b', 'c', 'd', 'e', 'f')];
    const met = new Set(
      defects
        .filter((defect) => bystandersOf(defect).includes('RPL-03') && !defect.fails.includes('RPL-03'))
        .flatMap((defect) => oneCaseOfBystanders(suites, defect, 1).flatMap(namesOf)),
    );
    assert.equal(met.size, 6);
  });
});
