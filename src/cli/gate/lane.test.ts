import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { descendants, endLeftovers, type Running } from '../../harness/lab/process-tree.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/src/cli/oab-gate.js', import.meta.url));

describe('a run on two lanes', function () {
  this.timeout(60_000);
  let out: string;
  let temporary: string;
  let gate: ChildProcess | undefined;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'oab-lane-'));
    temporary = mkdtempSync(join(out, 'tmp-'));
  });
  afterEach(() => {
    gate?.kill('SIGTERM');
    rmSync(out, { recursive: true, force: true });
  });

  /** The gate on these criteria; `onLine` gets each line of its progress as it comes. */
  function start(criteria: string, onLine: (line: string) => void) {
    const args = ['--criteria', criteria, '--bindings', 'JSONRPC', '--topologies', 'direct', '--seed', '7'];
    const child = spawn(process.execPath, [PROGRAM, 'run', ...args, '--jobs', '2', '--out', out], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, TMPDIR: temporary },
    });
    gate = child;
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      onLine(line);
    });
    return { child, lines };
  }

  it('gives every check its result, in the order of the plan', async () => {
    const { child, lines } = start('RPL-02,RPL-06', () => {});
    const [code] = await once(child, 'close');
    assert.equal(code, 21, lines.join('\n'));
    const verdict = readFileSync(join(out, 'verdict.json'), 'utf8');
    assert.equal((JSON.parse(verdict) as { totals: { passed: number } }).totals.passed, 2);
    const junit = readFileSync(join(out, 'junit.xml'), 'utf8');
    assert.ok(junit.indexOf('"RPL-02"') < junit.indexOf('"RPL-06"'));
  });

  it('comes to no verdict when one of its processes is killed, says which check ran there, and leaves nothing', async () => {
    let started: Running[] = [];
    const { child, lines } = start('RPL-02,RPL-15', (line) => {
      if (started.length > 0 || !line.startsWith('1/')) return;
      const lane = descendants([child.pid ?? 0]).find(({ pid }) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('lane-process'),
      );
      if (lane === undefined) return;
      started = descendants([lane.pid]);
      process.kill(lane.pid, 'SIGKILL');
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 1, lines.join('\n'));
    assert.match(lines.join('\n'), /RPL-\d\d\/JSONRPC\/direct: its process ended with SIGKILL/);
    assert.ok(started.length > 0, 'the lane had started something');
    assert.equal(await endLeftovers(started, temporary), 0);
    assert.deepEqual(readdirSync(temporary), []);
  });
});
