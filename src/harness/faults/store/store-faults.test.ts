import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Undetermined } from '../../check.js';
import { storeFaults, storeHook } from './hook.js';

/** What a round of writing and reading meets under each fault. */
const MET = {
  full: 'refused took',
  readonly: 'refused took',
  slow: 'took took',
  lost: 'refused refused',
};

describe('faults of a store', () => {
  let folder: string;
  let file: string;
  let child: ChildProcess;
  let lines: Interface;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-store-'));
    file = join(folder, 'journal.db');
    const script = fileURLToPath(new URL('testing/write-for-ever.ts', import.meta.url));
    child = spawn(process.execPath, ['--import', 'tsx', script, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    lines = createInterface({ input: child.stdout! });
    await met('took took');
  });
  after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  /** Resolves once a round goes like this; the test's own deadline is the end of waiting. */
  const met = (words: string) =>
    new Promise<void>((resolve) => {
      const look = (line: string) => {
        if (line !== words) return;
        lines.off('line', look);
        resolve();
      };
      lines.on('line', look);
    });

  for (const kind of storeFaults) {
    it(`${kind.name}: armed, seen to take by the process itself, cleared, seen to be gone`, async () => {
      const fault = kind.create({ file, pid: () => child.pid ?? -1 });
      assert.equal(await fault.verify(), false, 'not armed yet');
      for (let round = 0; round < 2; round += 1) {
        await fault.arm();
        try {
          assert.equal(await fault.verify(), true);
          await met(MET[kind.name]);
          assert.equal(await fault.verify(), true, 'it still holds');
        } finally {
          await fault.clear();
        }
        assert.equal(await fault.gone(), true);
        assert.equal(await fault.verify(), false);
        await met('took took');
      }
    });
  }

  it('one state follows another, and one that did not last until it was cleared is undetermined', async () => {
    const store = storeHook({ file, pid: () => child.pid ?? -1 });
    for (const state of ['readonly', 'lost', 'ok', 'ok'] as const) await store(state);
    await store('lost');
    await storeFaults
      .find(({ name }) => name === 'lost')
      ?.create({ file, pid: () => 0 })
      .clear();
    await assert.rejects(store('ok'), Undetermined);
    await store('ok');
    await assert.rejects(storeHook({ file, pid: () => 2 ** 22 + 1 })('full'), Undetermined);
  });
});
