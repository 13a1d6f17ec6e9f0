/** OPEN-50 in its full counts: sixteen writers for half a minute, and 200 MB behind a reader that stands still. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Journal } from './journal.js';
import { openSqliteJournal } from './sqlite.js';
import { admission, status } from './testing/drafts.js';

const WRITERS = 16;
const FOR_MS = 30_000;
const MIB = 1024 * 1024;
const PIECE = 'x'.repeat(64 * 1024);
/** What the log may keep: SQLite folds it back every thousand pages; a commit of ours is far below that. */
const CAP = 32 * MIB;

describe('the journal under load', function () {
  this.timeout(120_000);
  let folder: string;
  let file: string;
  let journal: Journal;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-load-'));
    file = join(folder, 'journal.db');
    journal = await openSqliteJournal({ file });
  });
  afterEach(async () => {
    await journal.close();
    rmSync(folder, { recursive: true });
  });
  const admit = (task: string) => journal.admit(admission(task, { requestId: task, nonce: task }));
  const walSize = () => statSync(`${file}-wal`).size;
  const sequencesOf = (task: string): number[] => {
    const found: number[] = [];
    for (let after = 0; ; ) {
      const slice = journal.read(task, after, 500);
      found.push(...(slice?.events.map(({ sequence }) => sequence) ?? []));
      after = found.at(-1) ?? 0;
      if (slice === undefined || slice.atEnd) return found;
    }
  };

  it('has no busy error and no hole with sixteen writers for half a minute (OPEN-50)', async () => {
    // All append to one task: its sequence is what they contend for. Others append to their own.
    await admit('shared');
    const until = performance.now() + FOR_MS;
    let appended = 0;
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        await admit(`own-${writer}`);
        for (let n = 0; performance.now() < until; n += 1) {
          const task = n % 2 === 0 ? 'shared' : `own-${writer}`;
          const before = journal.task(task)?.sequence ?? 0;
          const { kind, task: row } = await journal.append(task, { events: [status(task, `${n}`)] });
          assert.equal(kind, 'appended');
          assert.ok(row.sequence > before, `${row.sequence} behind ${before}`);
          if (task === 'shared') appended += 1;
        }
      }),
    );
    for (const task of ['shared', ...Array.from({ length: WRITERS }, (_, writer) => `own-${writer}`)]) {
      const sequences = sequencesOf(task);
      assert.deepEqual(
        sequences,
        sequences.map((_, at) => at + 1),
      );
      if (task === 'shared')
        assert.equal(sequences.length, appended + 1, 'every acknowledged event is there');
    }
  });

  it('lets the log shrink behind an idle reader, and after one that held it (OPEN-50)', async () => {
    await admit('big');
    const write = async (bytes: number) => {
      for (let written = 0; written < bytes; written += PIECE.length)
        await journal.append('big', { events: [status('big', PIECE)] });
    };
    // An observer in the middle of its events, and one that waits for more.
    await write(MIB);
    journal.read('big', 0, 2);
    const idle = new AbortController();
    await admit('quiet');
    const waiting = journal.wake('quiet', 1, idle.signal);
    await write(200 * MIB);
    assert.ok(walSize() < CAP, `${walSize()} bytes of log behind an idle reader`);
    idle.abort();
    await waiting;

    // Another program's open cursor is beyond our power; once it goes, so does what it held up.
    const other = new Database(file, { readonly: true });
    const cursor = other.prepare('SELECT * FROM sqlite_master').iterate();
    cursor.next();
    await write(64 * MIB);
    assert.ok(walSize() > CAP, 'the cursor held nothing up');
    cursor.return?.();
    other.close();
    await write(8 * MIB);
    assert.ok(walSize() < CAP, `${walSize()} bytes of log after the reader went`);
  });
});
