import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from './deadline.js';

const PROGRAM = fileURLToPath(new URL('testing/starts-and-waits.ts', import.meta.url));

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // Nobody of that number.
    return false;
  }
}

describe('a harness that is told to end', () => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`takes its processes and folders with it (${signal})`, async () => {
      const child = spawn(process.execPath, ['--import=tsx', PROGRAM], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const { pid, folder, kept } = JSON.parse(line) as { pid: number; folder: string; kept: string };
      assert.ok(runs(pid) && existsSync(folder) && existsSync(kept));
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [code, null]);
      await until(() => !runs(pid), { ms: 10_000, what: 'the process to end', everyMs: 10 });
      assert.ok(!existsSync(folder));
      assert.ok(existsSync(kept));
      rmSync(kept, { recursive: true });
    });
  }
});
