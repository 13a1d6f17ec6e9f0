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
import { Violation } from '../check.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { Suite } from '../suite.js';
import type { CaseLab } from './case-lab.js';
import type { RunOptions } from './options.js';
import { run } from './run.js';
import { one, optionsOf, suite } from './testing/suites.js';

describe('a case that fails', () => {
  let out: string;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'oab-fails-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));
  const options = (suites: Suite<CaseLab>[], more: Partial<RunOptions> = {}) => optionsOf(out, suites, more);

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

  it('tries the point first that the reason names', async () => {
    const tried: string[][] = [];
    const named = async (lab: CaseLab) => {
      const chosen = lab.sweep('stories', ['a', 'b', 'c', 'd', 'e']).map(({ point }) => point);
      tried.push(chosen);
      if (chosen.includes('c')) throw new Violation('c: believed');
    };
    const { checks } = await run(
      options([suite('RPL-01', one('stories', named))], { shrink: { caseMs: 20_000, runMs: 20_000 } }),
    );
    assert.deepEqual(tried, [['a', 'b', 'c', 'd', 'e'], ['c']]);
    assert.deepEqual([capsuleIn(checks).shrunk?.to, capsuleIn(checks).shrunk?.complete], [1, true]);
  });

  it('is run with a few of its points first, and whole where these do not fail and it should', async () => {
    for (const [culprits, whole, runs] of [
      [[], true, [3, 16]],
      [[], false, [3]],
      [[0, 1, 2, 3], true, [3, 16]],
    ] as const) {
      const tried: number[][] = [];
      const { checks } = await run(
        options([suite('RPL-01', one('sweep', failing(culprits.length === 0 ? [99] : culprits, tried)))], {
          points: { most: () => 3, whole: () => whole },
        }),
      );
      assert.deepEqual(
        tried.map(({ length }) => length),
        runs,
      );
      assert.equal(checks[0]?.outcome, culprits.length === 0 ? 'passed' : 'failed');
    }
    // What fails with a few need not be run whole, and the few are the seed's.
    const tried: number[][] = [];
    const any = async (lab: CaseLab) => {
      tried.push(lab.sweep('points', [1, 2, 3, 4, 5, 6, 7, 8]).map(({ index }) => index));
      throw new Violation('any');
    };
    for (const seed of [7, 7])
      await run(
        options([suite('RPL-01', one('any', any))], { seed, points: { most: () => 2, whole: () => true } }),
      );
    assert.equal(tried.length, 2);
    assert.equal(tried[0]?.length, 2);
    assert.deepEqual(tried[0], tried[1]);
  });

  it('spends no more on it than it was given', async () => {
    for (const shrink of [undefined, { caseMs: 20_000, runMs: 0 }, { caseMs: 0, runMs: 20_000 }]) {
      const tried: number[][] = [];
      const { checks } = await run(
        options([suite('RPL-01', one('sweep', failing([3], tried)))], shrink === undefined ? {} : { shrink }),
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
      hooks: new Set(),
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
