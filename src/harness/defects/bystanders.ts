/**
 * The checks that run beside a defect's own criteria: a defect must fail what it declares, and nothing else. Of the peer
 * that is defective; the others run as they always do, and their checks could only repeat what the gate itself says.
 */
import type { Cell } from '../check.js';
import { randomFor } from '../seed.js';
import type { Suite } from '../suite.js';
import type { Defect } from './defect.js';

const EXECUTOR = ['RPL-02', 'RPL-03', 'RPL-04', 'RPL-05', 'RPL-06', 'RPL-10', 'RPL-18', 'PRF-21'] as const;
const COORDINATOR = ['RPL-16', 'RPL-17', 'PRF-13'] as const;
/** What goes through a relay, of the smallest kind. */
const RELAY = ['RPL-02', 'RPL-04', 'RPL-06', 'RLY-12', 'RLY-14'] as const;

/** Of the points of each sweep; a criterion that a defect declares is tried with more. */
export const BYSTANDER_POINTS = 2;

export function bystandersOf(defect: Pick<Defect, 'executor' | 'coordinator' | 'relay'>): readonly string[] {
  return [
    ...(defect.executor === undefined ? [] : EXECUTOR),
    ...(defect.coordinator === undefined ? [] : COORDINATOR),
    ...(defect.relay === undefined ? [] : RELAY),
  ];
}

/**
 * Half of the bystanders that the defect does not declare, drawn from the seed and the defect: all defects together meet
 * each of them many times, and another seed draws others (decision 0020). All of a relay's, of which few defects are.
 */
export function drawnBystanders(
  defect: Pick<Defect, 'id' | 'fails' | 'executor' | 'coordinator' | 'relay'>,
  seed: number,
): readonly string[] {
  const all = bystandersOf(defect).filter((criterion) => !defect.fails.includes(criterion));
  if (defect.relay !== undefined) return all;
  const random = randomFor({ seed: String(seed), case: `${defect.id}/bystanders` });
  return random.sample(Math.ceil(all.length / 2), 0, all.length - 1).flatMap((index) => all[index] ?? []);
}

/**
 * The suites with one case in each check of a criterion that the defect does not declare: drawn from the seed and the
 * defect, so that all of them together meet every case.
 */
export function oneCaseOfBystanders<L>(
  suites: readonly Suite<L>[],
  { id, fails }: Pick<Defect, 'id' | 'fails'>,
  seed: number,
): Suite<L>[] {
  return suites.map((suite) =>
    fails.includes(suite.criterion)
      ? suite
      : {
          ...suite,
          cases(cell) {
            const all = suite.cases(cell);
            if (all.length === 0) return [];
            return [randomFor({ seed: String(seed), case: `${id}/${suite.criterion}` }).pick(all)];
          },
        },
  );
}

/** Of a bystander's cells one, of the seed's choosing: a defect on two bindings has no more of them than one on a single. */
export function oneCellOfBystander(
  criterion: string,
  cells: Cell[],
  { id, fails }: Pick<Defect, 'id' | 'fails'>,
  seed: number,
): Cell[] {
  if (fails.includes(criterion) || cells.length < 2) return cells;
  return [randomFor({ seed: String(seed), case: `${id}/${criterion}/cell` }).pick(cells)];
}
