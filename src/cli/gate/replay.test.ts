import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Capsule } from '../../harness/capsule/capsule.js';
import { readCapsule } from '../../harness/capsule/read-capsule.js';
import { execute } from './execute.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/src/cli/oab-gate.js', import.meta.url));
const CASE = 'RPL-03/JSONRPC/direct/reset';

function gate(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts }));
  });
}

describe('a failed sweep, with a peer that resumes one event late', function () {
  this.timeout(90_000);
  let out: string;
  let file: string;
  let capsule: Capsule;
  before(async () => {
    out = mkdtempSync(join(tmpdir(), 'oab-replay-'));
    file = join(out, 'run', 'evidence', ...CASE.split('/'), 'capsule.json');
    await execute(
      {
        gates: ['replay'],
        bindings: ['JSONRPC'],
        topologies: ['direct'],
        criteria: ['RPL-03'],
        seed: 7,
        budget: Number.MAX_SAFE_INTEGER,
        out: join(out, 'run'),
        key: join(out, 'key.jwk'),
        defect: 'resumes-one-late',
        shrink: 60_000,
      },
      () => {},
      { only: (id) => id === CASE },
    );
    capsule = readCapsule(file);
  });
  after(() => rmSync(out, { recursive: true, force: true }));
  const changed = (change: (capsule: Capsule) => Capsule): string => {
    const path = join(out, 'changed.json');
    writeFileSync(path, JSON.stringify(change(capsule)));
    return path;
  };

  it('is shrunk to the one cut that shows it', () => {
    const [sweep] = capsule.schedule.sweeps;
    assert.ok((sweep?.of ?? 0) > 10, `the sweep has ${sweep?.of} points`);
    assert.deepEqual(
      [capsule.shrunk?.from, capsule.shrunk?.to, capsule.shrunk?.complete],
      [sweep?.of, 1, true],
    );
    assert.equal(sweep?.points.length, 1);
    // The schedule that was taken, not the one that was planned: one cut, and where it fell.
    const cuts = capsule.schedule.steps.filter(({ what }) => what === 'cut');
    assert.deepEqual(
      cuts.map(({ detail }) => (detail as { plan: { kind: string }; fell: unknown }).plan.kind),
      ['reset'],
    );
    assert.ok(capsule.findings.some(({ rule }) => rule === 'order'));
  });

  it('fails again from its capsule', async () => {
    const { code, stdout } = await gate('replay', file, '--out', join(out, 'again'));
    assert.match(stdout, /^same failure: yes$/m);
    assert.equal(code, 22);
  });

  it('passes without the defect, and the replay says so', async () => {
    const mended = changed((one) => ({
      ...one,
      defect: null,
      versions: { ...one.versions, product: '0.0.1' },
    }));
    const { code, stdout } = await gate('replay', mended, '--out', join(out, 'mended'));
    assert.match(stdout, /^same failure: no, the case is passed now\. It was: /m);
    assert.match(stdout, /^not as it was: product 0\.0\.1 then/m);
    assert.equal(code, 21);
  });

  for (const [name, args, message] of [
    ['a capsule that is none', () => [changed(() => ({}) as Capsule)], /changed\.json: no failure capsule: /],
    ['a defect that nobody has', () => [changed((one) => ({ ...one, defect: 'x' }))], /no defect x/],
    [
      'a case that the suite has not',
      () => [changed((one) => ({ ...one, case: `${CASE}s` }))],
      /no such case/,
    ],
    ['a capsule and a seed', () => [file, '--seed', '7'], /leave out --case, --seed and --defect/],
    ['nothing', () => [], /name a capsule file, or a case/],
  ] as [string, () => string[], RegExp][]) {
    it(`is not replayed from ${name}: exit 2`, async () => {
      const { code, stderr } = await gate('replay', ...args(), '--out', join(out, 'bad'));
      assert.match(stderr, message);
      assert.equal(code, 2);
    });
  }
});
