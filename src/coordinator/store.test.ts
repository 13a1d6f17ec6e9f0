import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openStore, StoreUnusable } from './store.js';
import { delegation } from './testing/delegation.js';

describe("the coordinator's store", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-store-'));
    file = join(folder, 'deep', 'coordinator.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('keeps every member of a delegation, and changes only what is named', () => {
    const store = openStore(file);
    const whole = delegation({
      sent: true,
      taskId: 'task-1',
      turnId: 'turn-1',
      acceptedAt: 2000,
      cancelWanted: true,
      cursor: 'c3',
      sequence: 3,
      head: `sha256:${'b'.repeat(64)}`,
      from: 1,
      gaps: true,
      result: '{"type":"result"}',
    });
    assert.equal(store.insert(whole), true);
    assert.equal(store.insert(delegation({ peer: 'oab-c' })), false);
    store.close();
    const again = openStore(file);
    assert.deepEqual(again.find('req-1'), whole);
    again.update('req-1', { cursor: 'c4', sequence: 4 });
    assert.deepEqual(again.find('task-1'), { ...whole, cursor: 'c4', sequence: 4 });
    again.close();
  });

  it('finds by request id first, and by a task id only where it is the only one', () => {
    const store = openStore(file);
    store.insert(delegation({ requestId: 'req-1', taskId: 'req-2' }));
    store.insert(delegation({ requestId: 'req-2', taskId: 'task-2' }));
    store.insert(delegation({ requestId: 'req-3', taskId: 'task-3' }));
    store.insert(delegation({ requestId: 'req-4', taskId: 'task-3' }));
    assert.equal(store.find('req-2')?.requestId, 'req-2');
    assert.equal(store.find('task-2')?.requestId, 'req-2');
    assert.equal(store.find('task-3'), undefined);
    assert.equal(store.find('nobody'), undefined);
    assert.deepEqual(
      store.all().map(({ requestId }) => requestId),
      ['req-1', 'req-2', 'req-3', 'req-4'],
    );
    store.close();
  });

  it('is refused for a file that is none of its own, or of a later version', () => {
    const foreign = join(folder, 'foreign.db');
    writeFileSync(foreign, 'no database at all, and long enough to be taken for one: '.repeat(40));
    assert.throws(() => openStore(foreign), StoreUnusable);
    openStore(file).close();
    const db = new Database(file);
    db.pragma('user_version = 99');
    db.close();
    assert.throws(() => openStore(file), /schema version 99/);
  });

  it('has everything that it said to be durable, after SIGKILL', async () => {
    const child = spawn(
      process.execPath,
      ['--import=tsx', fileURLToPath(new URL('./testing/record-until-killed.ts', import.meta.url)), file],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (said.length === 20) child.kill('SIGKILL');
    }
    const store = openStore(file);
    for (const requestId of said) {
      const found = store.find(requestId);
      assert.deepEqual([found?.sent, found?.taskId], [true, requestId.replace('req', 'task')]);
    }
    assert.ok(store.all().length - said.length <= 1);
    store.close();
  });
});
