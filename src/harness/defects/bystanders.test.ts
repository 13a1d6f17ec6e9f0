import assert from 'node:assert/strict';
import type { Cell } from '../check.js';
import type { CaseSpec, Suite } from '../suite.js';
import { bystandersOf, drawnBystanders, oneCaseOfBystanders, oneCellOfBystander } from './bystanders.js';
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

  it('are half of those that the defect does not declare, and with all defects each of them many times', () => {
    const every = new Set(defects.flatMap(bystandersOf));
    for (let seed = 1; seed <= 20; seed += 1) {
      const met = new Map<string, number>();
      for (const defect of defects) {
        const could = bystandersOf(defect).filter((one) => !defect.fails.includes(one));
        const drawn = drawnBystanders(defect, seed);
        assert.equal(
          drawn.length,
          defect.relay === undefined ? Math.ceil(could.length / 2) : could.length,
          defect.id,
        );
        for (const one of drawn) {
          assert.ok(could.includes(one), `${defect.id}: ${one}`);
          met.set(one, (met.get(one) ?? 0) + 1);
        }
      }
      for (const one of every) assert.ok((met.get(one) ?? 0) >= 3, `${one} with seed ${seed}`);
    }
  });

  it('run on one of the bindings that the defect is planted on, and what is declared on all', () => {
    const cells: Cell[] = [cell, { ...cell, binding: 'OAB' }];
    const met = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const taken = (criterion: string) =>
        oneCellOfBystander(criterion, cells, { id: 'x', fails: ['RPL-03'] }, seed);
      assert.deepEqual(taken('RPL-03'), cells);
      assert.equal(taken('RPL-02').length, 1);
      for (const { binding } of taken('RPL-02')) met.add(binding);
    }
    assert.equal(met.size, 2);
  });

  it('meet every case, all defects together', () => {
    const suites = [suite('RPL-03', 'a', 'b', 'c', 'd', 'e', 'f')];
    const met = new Set(
      defects
        .filter((defect) => drawnBystanders(defect, 1).includes('RPL-03'))
        .flatMap((defect) => oneCaseOfBystanders(suites, defect, 1).flatMap(namesOf)),
    );
    assert.equal(met.size, 6);
  });
});
