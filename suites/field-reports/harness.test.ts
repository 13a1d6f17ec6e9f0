/** Public reports about tools that were green for nothing, that misjudged their own faults, or that printed a secret. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openInjector } from '../../src/harness/faults/open-injector.js';
import { linkFaults } from '../../src/harness/faults/registry.js';
import { selfTests } from '../../src/harness/faults/self-test.js';

const GATE = 'dist/src/cli/oab-gate.js';

/** Runs a program of the checkout to its end, whatever its exit code is. */
async function run(file: string, ...args: string[]): Promise<{ code: number; text: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, ...args], {
      maxBuffer: 1 << 26,
    });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

describe('public reports: the harness itself', function () {
  this.timeout(90_000);
  let out: string;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'oab-report-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));
  const key = () => ['--key', join(out, 'key.jwk')];

  it('OPEN-35 no token is in anything that a failing run leaves behind', async () => {
    // A peer that lets a token pass that it must refuse: the case fails, and its wire is evidence.
    const cell = ['--bindings', 'JSONRPC', '--topologies', 'direct', '--seed', '5'];
    const { code } = await run(
      GATE,
      'run',
      '--criteria',
      'PRF-21',
      '--defect',
      'expired-tokens-pass',
      '--shrink',
      '1s',
      '--fail-fast',
      ...cell,
      '--out',
      out,
    );
    assert.equal(code, 22);
    const files = filesBelow(out);
    assert.ok(
      files.some((path) => path.endsWith('.txt') || path.endsWith('capsule.json')),
      files.join(),
    );
    const jwt = /eyJ[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}/;
    for (const path of files) {
      // The verdict of a defect is not signed with the decision key, so no file here may hold anything like a token.
      const text = readFileSync(path, 'latin1');
      assert.doesNotMatch(text, jwt, path);
      assert.doesNotMatch(decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25')), jwt, path);
      for (const [run_] of text.matchAll(/[A-Za-z0-9+/]{80,}={0,2}/g))
        assert.doesNotMatch(Buffer.from(run_, 'base64').toString('latin1'), jwt, path);
    }
  });

  it('OPEN-52 every fault is seen to take and to be gone, or it is said which is not', async () => {
    const injector = await openInjector('1');
    try {
      assert.deepEqual(await selfTests(linkFaults, injector), []);
      assert.ok(linkFaults.length >= 10);
    } finally {
      await injector.close();
    }
  });

  it('OPEN-53 a run in which nothing ran, or not all, is no success', async () => {
    const nothing = await run(GATE, 'run', '--criteria', 'ZZZ-*', '--out', out, ...key());
    assert.equal(nothing.code, 2, nothing.text);
    const gated = await run(
      GATE,
      'run',
      '--criteria',
      'RLY-09',
      '--bindings',
      'JSONRPC',
      '--out',
      out,
      ...key(),
    );
    assert.equal(gated.code, 23, gated.text);
    const { totals } = JSON.parse(readFileSync(join(out, 'verdict.json'), 'utf8')) as {
      totals: Record<string, number>;
    };
    const { planned = 0, ...rest } = totals;
    assert.equal(
      planned,
      Object.values(rest).reduce((sum, count) => sum + count, 0),
    );
    assert.ok(planned > 0 && totals.not_run === planned);
    const absent = await run(GATE, 'verify', join(out, 'nowhere.jws'));
    assert.notEqual(absent.code, 0);
  });

  it('OPEN-53 a list of what is known not to run fails on more, and on less', async () => {
    mkdirSync(join(out, 'evidence'));
    const row = (criterion: string, outcome: string) => ({
      criterion,
      cell: { binding: 'JSONRPC', topology: 'direct' },
      outcome,
    });
    writeFileSync(
      join(out, 'verdict.json'),
      JSON.stringify({ components: { fault_injector: 'toxiproxy 2' } }),
    );
    writeFileSync(
      join(out, 'evidence', 'checks.json'),
      JSON.stringify([row('A-01', 'passed'), row('A-02', 'not_run')]),
    );
    const expect = async (...known: string[]) => {
      writeFileSync(join(out, 'list.json'), JSON.stringify(known));
      return run('src/setup/expect-verdict.mjs', join(out, 'verdict.json'), join(out, 'list.json'));
    };
    assert.equal((await expect('A-02 JSONRPC direct not_run')).code, 0);
    assert.match((await expect()).text, /A-02 .*is not in/);
    assert.equal((await expect()).code, 1);
    const stale = await expect('A-02 JSONRPC direct not_run', 'A-01 JSONRPC direct not_run');
    assert.deepEqual([stale.code, /A-01 .*and ran/.test(stale.text)], [1, true]);
  });
});
