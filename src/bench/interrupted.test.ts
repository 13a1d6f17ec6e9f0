import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('../../dist/src/bench/main.js', import.meta.url));

describe('a benchmark that is interrupted', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`leaves no folder and no process behind (${signal})`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'oab-left-'));
      try {
        const args = [BENCH, '--only', 'relay-unary', '--out', join(folder, 'out', 'bench.json')];
        const bench = spawn(process.execPath, args, {
          env: { ...process.env, TMPDIR: folder },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let said = '';
        await new Promise<void>((resolve, reject) => {
          bench.stderr.on('data', (chunk) => {
            said += String(chunk);
            if (said.includes('warm-up')) resolve();
          });
          bench.once('exit', () => reject(new Error(`it ended: ${said}`)));
        });
        const children = childrenOf(bench.pid ?? 0);
        assert.ok(children.length >= 2, 'the relay and the executor at least');
        bench.kill(signal);
        await once(bench, 'exit');
        assert.deepEqual(readdirSync(folder), []);
        // What it has killed is gone a moment later.
        while (children.some(runs)) await new Promise((resolve) => setImmediate(resolve));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});

/** All below it. */
function childrenOf(pid: number): number[] {
  const direct = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return direct.filter((one) => one !== '').flatMap((one) => [Number(one), ...childrenOf(Number(one))]);
}

function runs(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // A zombie has ended, whether its parent asks or not.
  return existsSync(stat) && !/\) Z/.test(readFileSync(stat, 'utf8'));
}
