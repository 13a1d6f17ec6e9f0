import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { readCapsule, selectionOf } from '../capsule/read-capsule.js';
import { sameFailure } from '../capsule/same-failure.js';
import { type Cell, NotExercised, Undetermined, Violation } from '../check.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { CaseSpec, Suite } from '../suite.js';
import type { CaseLab } from './case-lab.js';
import type { RunOptions } from './options.js';
import { OverBudget, plan } from './plan.js';
import { run } from './run.js';

const cell: Cell = { binding: 'JSONRPC', topology: 'direct' };
const one = (
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
const suite = (criterion: string, ...cases: CaseSpec<CaseLab>[]): Suite<CaseLab> => ({
  criterion,
  cases: () => cases,
});

describe('a run', () => {
  let out: string;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'oab-run-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));
  const options = (suites: Suite<CaseLab>[], more: Partial<RunOptions> = {}): RunOptions => ({
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

  describe('of a case that fails', () => {
    /** Fails where both these points of its sweep are tried; counts its runs. */
    const failing = (culprits: readonly number[], tried: number[][]) => async (lab: CaseLab) => {
      const chosen = lab.sweep(
        'points',
        Array.from({ length: 16 }, (_, n) => ({ n })),
      );
      tried.push(chosen.map(({ index }) => index));
      lab.evidence('script.txt', lab.scriptId('a'));
      for (const culprit of culprits) if (!chosen.some(({ index }) => index === culprit)) return;
      throw new Violation(`point ${culprits[0]} of ${chosen.length} fails`);
    };
    const capsuleIn = (checks: { cases: { evidence: string[] }[] }[]) => {
      const path = checks[0]?.cases[0]?.evidence.find((one) => one.endsWith('capsule.json')) ?? '';
      return readCapsule(join(out, path));
    };

    it('leaves a capsule with the smallest schedule, from which it fails again', async () => {
      const tried: number[][] = [];
      const suites = [suite('RPL-01', one('sweep', failing([3, 12], tried)))];
      const { checks } = await run(options(suites, { shrink: { caseMs: 20_000, runMs: 20_000 } }));
      const capsule = capsuleIn(checks);
      assert.equal(capsule.reason, 'point 3 of 16 fails');
      assert.deepEqual(capsule.schedule.sweeps, [
        {
          name: 'points',
          of: 16,
          points: [
            { index: 3, point: { n: 3 } },
            { index: 12, point: { n: 12 } },
          ],
        },
      ]);
      const { from, to, tests, complete } = capsule.shrunk ?? {};
      assert.deepEqual(
        { from, to, tests, complete },
        { from: 16, to: 2, tests: tried.length - 1, complete: true },
      );
      // The outcome is that of the first run, and the runs of the search are none of the case's evidence.
      assert.equal(checks[0]?.reason, 'point 3 of 16 fails');
      const script = checks[0]?.cases[0]?.evidence.find((path) => path.endsWith('script.txt')) ?? '';
      assert.equal(readFileSync(join(out, script), 'utf8'), 'RPL-01-JSONRPC-direct-sweep.a');

      tried.length = 0;
      const again = await run(options(suites, { selection: selectionOf(capsule) }));
      assert.deepEqual(tried, [[3, 12]]);
      assert.ok(sameFailure(again.checks[0]?.reason ?? '', capsule.reason));
    });

    it('spends no more on it than it was given', async () => {
      for (const shrink of [undefined, { caseMs: 20_000, runMs: 0 }, { caseMs: 0, runMs: 20_000 }]) {
        const tried: number[][] = [];
        const { checks } = await run(
          options(
            [suite('RPL-01', one('sweep', failing([3], tried)))],
            shrink === undefined ? {} : { shrink },
          ),
        );
        assert.equal(tried.length, 1);
        assert.equal(capsuleIn(checks).shrunk, null);
        assert.equal(capsuleIn(checks).schedule.sweeps[0]?.points.length, 16);
      }
    });

    it('says when the failure does not come back in a part of the schedule', async () => {
      let runs = 0;
      const once = async (lab: CaseLab) => {
        lab.sweep('points', [1, 2, 3, 4]);
        runs += 1;
        if (runs === 1) throw new Violation('only once');
      };
      const { checks } = await run(
        options([suite('RPL-01', one('flaky', once))], { shrink: { caseMs: 20_000, runMs: 20_000 } }),
      );
      assert.deepEqual([checks[0]?.outcome, checks[0]?.reason], ['failed', 'only once']);
      const { shrunk, schedule } = capsuleIn(checks);
      assert.deepEqual([shrunk?.to, shrunk?.reason, schedule.sweeps[0]?.points.length], [4, null, 4]);
    });

    it('keeps the schedule and the wire, and none of the keys that lay beside them', async () => {
      const key = newKey(Date.now());
      const { d = '' } = key.privateKey?.export({ format: 'jwk' }) ?? {};
      const encoded = Buffer.from(`a ${d} b`).toString('base64');
      const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
      await once(echo, 'listening');
      const { port } = echo.address() as AddressInfo;
      const subject = {
        peer: 'oab-b',
        settings: { windowMs: 60_000 },
        address: () => ({ host: '127.0.0.1', port }),
        holds: {},
        kill: async () => {},
      } as unknown as ExecutorSubject;
      const leaks = async (lab: CaseLab) => {
        writeKeyFile(join(lab.lab.folder, 'gate.jwks'), [key], 'private');
        const recorded = lab.recorder.executor(subject);
        const link = await lab.link(recorded, 'ab');
        const cut = link.tap.arm({ kind: 'fin', direction: 'downstream', at: { byte: 200 } });
        const socket = connect(link.address);
        const closed = once(socket.resume(), 'end');
        socket.write(`${d} ${encoded} `.padEnd(300, '.'));
        await lab.took(cut, 'a cut of the echo');
        await closed;
        await recorded.kill();
        throw new Violation(`seen: ${d}`);
      };
      const { checks } = await run(options([suite('RPL-01', one('leaks', leaks))]));
      echo.close();
      const capsule = capsuleIn(checks);
      assert.deepEqual(
        capsule.schedule.steps.map(({ on, what }) => `${on} ${what}`),
        ['ab cut', 'executor 1 (oab-b) kill'],
      );
      const [connection] = capsule.journal.connections;
      assert.equal(connection?.upstream.bytes, 300);
      assert.match(connection?.upstream.text ?? '', /^\[secret\] \[encoded credential\] \.+$/);
      const text = JSON.stringify(capsule);
      assert.ok(!text.includes(d) && !text.includes(encoded) && text.includes('seen: [secret]'));
    });

    it('passes over the other cases of its check when it is told to', async () => {
      const ran: string[] = [];
      const fails = one('fails', () => {
        ran.push('fails');
        throw new Violation('x');
      });
      const other = one('other', () => void ran.push('other'));
      const suites = [suite('RPL-01', fails, other), suite('RPL-02', other)];
      const { checks } = await run(options(suites, { failFast: true }));
      assert.deepEqual(ran, ['fails', 'other']);
      assert.deepEqual(
        checks.slice(0, 2).map(({ outcome, cases }) => [outcome, cases.map((result) => result.outcome)]),
        [
          ['failed', ['failed', 'not_run']],
          ['passed', ['passed']],
        ],
      );
    });
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
