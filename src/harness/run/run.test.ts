import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotExercised, Undetermined, Violation } from '../check.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { Suite } from '../suite.js';
import type { CaseLab } from './case-lab.js';
import type { RunOptions } from './options.js';
import { OverBudget, plan } from './plan.js';
import { run } from './run.js';
import { one, optionsOf, suite } from './testing/suites.js';

describe('a run', () => {
  let out: string;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'oab-run-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));
  const options = (suites: Suite<CaseLab>[], more: Partial<RunOptions> = {}) => optionsOf(out, suites, more);

  it('makes of each thing that a case can throw the outcome that it is, and of no suite no pass', async () => {
    const { checks } = await run(
      options([
        suite(
          'RPL-01',
          one('fine', (lab) => lab.evidence('seen.json', { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl' })),
        ),
        suite(
          'RPL-02',
          one('a', () => {}),
          one('b', () => {
            throw new Violation('seen 3, expected 4');
          }),
        ),
        suite(
          'RPL-03',
          one('c', () => {
            throw new Undetermined('the cut did not take');
          }),
          one('d', () => {}),
        ),
        suite(
          'RPL-04',
          one('e', () => {
            throw new NotExercised('no kill hook');
          }),
        ),
        suite(
          'RPL-05',
          one('f', () => {
            throw new TypeError('a slip of the suite');
          }),
        ),
        suite(
          'RPL-06',
          one('g', () => new Promise(() => {}), { deadlineMs: 100 }),
        ),
        suite(
          'RPL-10',
          one('h', (lab) => {
            throw new Violation(lab.random().pick(['x']));
          }),
          one('i', () => {
            throw new Undetermined('x');
          }),
        ),
      ]),
    );
    const got = Object.fromEntries(
      checks.map(({ criterion, outcome, reason }) => [criterion, `${outcome}: ${reason ?? ''}`]),
    );
    assert.deepEqual(got, {
      'RPL-01': 'passed: ',
      'RPL-02': 'failed: seen 3, expected 4',
      'RPL-03': 'undetermined: the cut did not take',
      'RPL-04': 'not_exercised: no kill hook',
      'RPL-05': 'failed: unexpected: TypeError a slip of the suite',
      'RPL-06': 'failed: hang: not done within 100 ms',
      'RPL-10': 'failed: x',
      'PRF-01': 'not_run: no_suite',
    });
    const [file] = checks[0]?.cases[0]?.evidence ?? [];
    assert.match(readFileSync(join(out, file ?? ''), 'utf8'), /\[token\]/);
    assert.ok(checks[1]?.cases[1]?.evidence.some((path) => path.endsWith('failure.txt')));
  });

  it('fails a case by what its subject said, whatever the case itself made of it', async () => {
    let tasks = 0;
    const probe = {
      peer: 'gate',
      async create() {
        tasks += 1;
        return { status: 200, echoed: true, text: '', result: { id: `t${tasks}`, status: {} } };
      },
    };
    const subject = {
      peer: 'oab-b',
      settings: { windowMs: 60_000 },
      hooks: new Set(),
      address: () => ({ host: '127.0.0.1', port: 1 }),
      probe: () => probe,
    } as unknown as ExecutorSubject;
    const twice = async (lab: CaseLab) => {
      const recorded = lab.recorder.executor(subject).probe();
      const request = { request_id: 'r', task: 'x', capabilities: ['repo:read'] };
      await recorded.create(request);
      await recorded.create(request);
    };
    const { checks } = await run(
      options([
        suite('RPL-01', one('passes', twice)),
        suite(
          'RPL-02',
          one('fails', async (lab) => {
            await twice(lab);
            throw new Violation('its own reason');
          }),
        ),
        suite(
          'RPL-03',
          one('undetermined', async (lab) => {
            await twice(lab);
            throw new Undetermined('the cut did not take');
          }),
        ),
      ]),
    );
    const history = 'history (exactly-once) of executor 1 (oab-b): r of gate made two tasks, t1 and t2';
    const got = checks.slice(0, 3).map(({ outcome, reason }) => `${outcome}: ${reason ?? ''}`);
    assert.equal(got[0], `failed: ${history}`);
    assert.equal(got[1], 'failed: its own reason');
    assert.match(got[2] ?? '', /^failed: history \(exactly-once\)/);
    for (const { cases } of checks.slice(0, 3))
      assert.ok(cases[0]?.evidence.some((path) => path.endsWith('findings.json')));
  });

  it('draws the same schedule from the same seed, and another from another', async () => {
    const drawn: string[] = [];
    const suites = [
      suite(
        'RPL-01',
        one('draw', (lab) => void drawn.push(lab.random('ab', 'downstream', 3).bytes(8).toString('hex'))),
      ),
    ];
    for (const seed of [7, 7, 8]) await run(options(suites, { seed }));
    assert.equal(drawn[0], drawn[1]);
    assert.notEqual(drawn[0], drawn[2]);
    const planned = options(suites);
    assert.deepEqual(
      plan(planned).checks.map(({ cases }) => cases.map(({ id }) => id)),
      plan(planned).checks.map(({ cases }) => cases.map(({ id }) => id)),
    );
  });

  it('refuses a plan over its budget before anything starts', async () => {
    let started = false;
    const suites = [
      suite(
        'RPL-01',
        one(
          'long',
          () => {
            started = true;
          },
          { estimateMs: 61_000 },
        ),
      ),
    ];
    await assert.rejects(
      run(options(suites)),
      (error: Error) => error instanceof OverBudget && /raise --budget or narrow/.test(error.message),
    );
    assert.equal(started, false);
  });

  it('tries the points that are known to fail first, and what does not fail with few points whole', async () => {
    const tried: Record<string, unknown[][]> = {};
    const swept = (criterion: string, fails: (point: number) => boolean) =>
      suite(
        criterion,
        one('swept', (lab) => {
          const points = lab.sweep('points', [...Array(20).keys()]).map(({ point }) => point);
          tried[criterion] = [...(tried[criterion] ?? []), points];
          if (points.some(fails)) throw new Violation('seen');
        }),
      );
    const suites = [
      swept('RPL-01', (point) => point === 13),
      swept('RPL-02', () => false),
      swept('RPL-03', () => false),
    ];
    await run(
      options(suites, {
        points: {
          most: () => 2,
          whole: (criterion) => criterion !== 'RPL-03',
          preferred: (point) => point === 13,
        },
      }),
    );
    assert.deepEqual(tried['RPL-01'], [[13]]);
    assert.deepEqual(
      tried['RPL-02']?.map(({ length }) => length),
      [1, 20],
    );
    assert.deepEqual(
      tried['RPL-03']?.map((points) => points.length),
      [2],
    );
    assert.ok(!tried['RPL-03']?.[0]?.includes(13), 'a bystander draws its points');
  });

  it('runs only the cases that were chosen', async () => {
    const ran: string[] = [];
    const suites = [
      suite(
        'RPL-01',
        one('x', () => void ran.push('x')),
        one('y', () => void ran.push('y')),
      ),
    ];
    const { checks } = await run(options(suites, { only: (id) => id === 'RPL-01/JSONRPC/direct/y' }));
    assert.deepEqual(ran, ['y']);
    assert.equal(checks.find(({ criterion }) => criterion === 'PRF-01')?.outcome, 'not_run');
  });
});
