import assert from 'node:assert/strict';
import type { CheckResult } from '../check.js';
import { drive } from './drive.js';
import type { Lane } from './lane.js';
import type { Progress } from './options.js';
import type { Plan, PlannedCheck } from './plan.js';

const cell = { binding: 'JSONRPC', topology: 'direct' } as const;
const check = (criterion: string, estimateMs: number): PlannedCheck => ({
  criterion,
  cell,
  hasSuite: true,
  cases: [
    { id: `${criterion}/a`, spec: { name: 'a', estimateMs, deadlineMs: 1, run: () => Promise.resolve() } },
  ],
});
const planOf = (...checks: PlannedCheck[]): Plan => ({ checks, estimateMs: 0 });
const passed = ({ criterion }: PlannedCheck): CheckResult => ({
  criterion,
  cell,
  outcome: 'passed',
  cases: [],
  duration_ms: 1,
});
const NO_LANE: Pick<Lane, 'close'> = { close: () => Promise.resolve('none') };

/** Lanes that end a check when they are told to. */
function lanesOf(count: number) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const lanes = Array.from(
    { length: count },
    (): Lane => ({
      ...NO_LANE,
      run: (one, tell) => {
        begun.push(one.criterion);
        const [planned] = one.cases;
        tell({ kind: 'started', id: planned?.id ?? '' });
        return new Promise((resolve, reject) =>
          ends.set(one.criterion, {
            resolve() {
              const result = { id: planned?.id ?? '', outcome: 'passed', attempts: 1, evidence: [] } as const;
              tell({ kind: 'finished', result: { ...result, evidence: [], duration_ms: 1 } });
              resolve(passed(one));
            },
            reject,
          }),
        );
      },
    }),
  );
  const turn = () => new Promise(setImmediate);
  return { lanes, begun, ends, turn };
}

describe('the lanes of a run', () => {
  it('begin with what takes longest, and tell the results in the plan’s order', async () => {
    const { lanes, begun, ends, turn } = lanesOf(2);
    const told: Progress[] = [];
    const bare: PlannedCheck = { criterion: 'PRF-01', cell, hasSuite: false, cases: [] };
    const plan = planOf(check('RPL-01', 1), bare, check('RPL-02', 30), check('RPL-03', 20));
    const all = drive(plan, lanes, (event) => told.push(event));
    assert.deepEqual(begun, ['RPL-02', 'RPL-03']);
    ends.get('RPL-03')?.resolve();
    await turn();
    assert.deepEqual(begun, ['RPL-02', 'RPL-03', 'RPL-01']);
    ends.get('RPL-01')?.resolve();
    ends.get('RPL-02')?.resolve();
    const results = await all;
    assert.deepEqual(
      results.map(({ criterion, outcome, reason }) => [criterion, outcome, reason]),
      [
        ['RPL-01', 'passed', undefined],
        ['PRF-01', 'not_run', 'no_suite'],
        ['RPL-02', 'passed', undefined],
        ['RPL-03', 'passed', undefined],
      ],
    );
    const finished = told.flatMap((event) => (event.kind === 'finished' ? [[event.done, event.of]] : []));
    assert.deepEqual(finished, [
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  it('keep the plan’s order when there is one', async () => {
    const { lanes, begun, ends, turn } = lanesOf(1);
    const all = drive(planOf(check('RPL-01', 1), check('RPL-02', 30)), lanes);
    ends.get('RPL-01')?.resolve();
    await turn();
    ends.get('RPL-02')?.resolve();
    await all;
    assert.deepEqual(begun, ['RPL-01', 'RPL-02']);
  });

  it('run what judges times when nothing else runs, and one after the other', async () => {
    const { lanes, begun, ends, turn } = lanesOf(2);
    const plan = planOf({ ...check('RPL-14', 9), alone: true }, check('RPL-01', 3), check('RPL-02', 2), {
      ...check('RLY-02', 9),
      alone: true,
    });
    const all = drive(plan, lanes);
    const seen: string[][] = [];
    for (const id of ['RPL-01', 'RPL-02', 'RPL-14', 'RLY-02']) {
      await turn();
      seen.push([...begun]);
      ends.get(id)?.resolve();
    }
    await all;
    assert.deepEqual(seen, [
      ['RPL-01', 'RPL-02'],
      ['RPL-01', 'RPL-02'],
      ['RPL-01', 'RPL-02', 'RPL-14'],
      ['RPL-01', 'RPL-02', 'RPL-14', 'RLY-02'],
    ]);
  });

  it('run the checks of one criterion beside each other, where it judges times and mostly waits', async () => {
    const running = new Set<string>();
    const together: string[] = [];
    const lane: Lane = {
      ...NO_LANE,
      async run(one) {
        const [id = ''] = one.cases.map((planned) => planned.id);
        running.add(id);
        await new Promise(setImmediate);
        together.push([...running].sort().join(' '));
        running.delete(id);
        return passed(one);
      },
    };
    const own = (criterion: string, name: string): PlannedCheck => {
      const made = check(criterion, 9);
      return {
        ...made,
        alone: 'but-its-own',
        cases: made.cases.map((one) => ({ ...one, id: `${criterion}/${name}` })),
      };
    };
    const plan = planOf(own('RPL-14', 'x'), own('RPL-16', 'x'), own('RPL-14', 'y'), check('RPL-01', 3));
    await drive(plan, [lane, lane]);
    assert.deepEqual(together, ['RPL-01/a', 'RPL-14/x RPL-14/y', 'RPL-14/y', 'RPL-16/x']);
  });

  it('begin nothing more once one of them broke, and await what the others do', async () => {
    const { lanes, begun, ends, turn } = lanesOf(2);
    const all = drive(planOf(check('RPL-01', 3), check('RPL-02', 2), check('RPL-03', 1)), lanes);
    let settled = false;
    const rejected = assert.rejects(all, /ended with SIGKILL/).then(() => {
      settled = true;
    });
    ends.get('RPL-01')?.reject(new Error('its process ended with SIGKILL'));
    await turn();
    assert.equal(settled, false);
    ends.get('RPL-02')?.resolve();
    await rejected;
    assert.deepEqual(begun, ['RPL-01', 'RPL-02']);
  });
});
