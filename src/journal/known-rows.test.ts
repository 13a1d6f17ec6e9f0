import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { KnownRows } from './known-rows.js';
import { type TaskColumns, taskRow } from './rows.js';
import { prepare } from './schema.js';
import { admission, status, terminal } from './testing/drafts.js';
import { Writer } from './writer.js';

describe('the rows that the writer knows', () => {
  const row = (taskId: string) => ({ taskId }) as ReturnType<typeof taskRow>;

  it('are the last so many that were written', () => {
    const rows = new KnownRows(2);
    for (const taskId of ['a', 'b', 'a', 'c']) rows.keep(row(taskId));
    assert.deepEqual(
      ['a', 'b', 'c'].map((taskId) => rows.get(taskId)?.taskId),
      ['a', undefined, 'c'],
    );
    rows.clear();
    assert.equal(rows.get('c'), undefined);
  });

  it('are what the file says after every step, also where a later value does not stand', () => {
    const folder = mkdtempSync(join(tmpdir(), 'oab-rows-'));
    const db = new Database(join(folder, 'journal.db'));
    try {
      prepare(db, 'journal.db');
      const writer = new Writer(db);
      const ofFile = () => taskRow(db.prepare('SELECT * FROM tasks').get() as TaskColumns);
      const admitted = writer.apply({ kind: 'admit', admission: admission('t1', {}) });
      assert.deepEqual((admitted as { task: unknown }).task, ofFile());
      const sets = [
        { process: { pgid: 7, startTime: 'a' }, dispatchedAt: 5 },
        { stopCause: 'cancel', dispatchedAt: 6 },
        { stopCause: 'deadline', cancelRequestedAt: 8, process: { pgid: 8, startTime: 'b' } },
      ] as const;
      for (const set of sets) {
        const appended = writer.apply({
          kind: 'append',
          taskId: 't1',
          append: { events: [status('t1', 's')], set },
        });
        assert.deepEqual((appended as { task: unknown }).task, ofFile());
      }
      const broken = () =>
        writer.apply({
          kind: 'append',
          taskId: 't1',
          append: { events: [terminal('t1', 'e'), status('t1', 's')], set: { outcome: 'completed' } },
        });
      assert.throws(broken, /after the terminal one/);
      const end = { events: [terminal('t1', 'e')], set: { outcome: 'failed', terminalAt: 9 } } as const;
      const ended = writer.apply({
        kind: 'append',
        taskId: 't1',
        append: { ...end, events: [...end.events] },
      });
      assert.deepEqual((ended as { task: unknown }).task, ofFile());
      assert.equal(ofFile().outcome, 'failed');
    } finally {
      db.close();
      rmSync(folder, { recursive: true });
    }
  });
});
