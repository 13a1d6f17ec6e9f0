import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { brokenAt } from './audit-chain.js';
import { type Journal, StoreUnavailable } from './journal.js';
import { openSqliteJournal } from './sqlite.js';
import { admission, status } from './testing/drafts.js';

/** Everything that a journal answers from its file, each as a question that fails when the file does not answer. */
const questions = (journal: Journal): [string, () => unknown][] => [
  ['task', () => journal.task('t')],
  ['read', () => journal.read('t', 0, 10)],
  ['list', () => journal.list({ caller: 'oab-a', limit: 10 })],
  ['open', () => journal.open()],
  ['audits', () => journal.audits(0, 10)],
  ['reserved', () => journal.reserved('oab-a', 'r', admission('t', {}).task.requestDigest, 'n')],
  ['wake', () => journal.wake('t', 1, AbortSignal.abort())],
  ['admit', () => journal.admit(admission('u', { requestId: 'u', nonce: 'u' }))],
  ['append', () => journal.append('t', { events: [status('t', 'x')] })],
  ['audit', () => journal.audit({ kind: 'refused', at: 0, detail: {} })],
  ['trim', () => journal.trim(1, 0)],
];

describe('a journal whose store fails', () => {
  let folder: string;
  let file: string;
  let journal: Journal;
  /** Somebody else on the same file. */
  let outside: Database.Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-journal-'));
    file = join(folder, 'journal.db');
    journal = await openSqliteJournal({ file, liveBytes: 0 });
    await journal.admit(admission('t', {}));
    outside = new Database(file);
  });
  afterEach(async () => {
    outside.close();
    await journal.close();
    rmSync(folder, { recursive: true });
  });

  const lose = () => outside.exec('ALTER TABLE tasks RENAME TO gone; ALTER TABLE audit RENAME TO gone_too');
  const find = () => outside.exec('ALTER TABLE gone RENAME TO tasks; ALTER TABLE gone_too RENAME TO audit');
  const unavailable = async (when: string) => {
    for (const [name, ask] of questions(journal))
      await assert.rejects(async () => ask(), StoreUnavailable, `${name} ${when}`);
    assert.equal(await journal.healthy(), false);
  };
  /** The same process goes on where it stood, and its audit is still one chain. */
  const whole = async (tasks: number) => {
    assert.equal(await journal.healthy(), true);
    const { task } = await journal.append('t', { events: [status('t', 'after the fault')] });
    assert.equal(journal.task('t')?.sequence, task.sequence);
    await journal.audit({ kind: 'refused', at: 0, detail: {} });
    assert.equal(brokenAt(journal.audits(0, 100)), undefined);
    assert.equal(journal.list({ caller: 'oab-a', limit: 10 }).total, tasks);
  };

  it('says so to every question while its tables are away, and answers all when they are back', async () => {
    for (let round = 0; round < 3; round += 1) {
      lose();
      await unavailable('without tables');
      find();
      await whole(1);
    }
  });

  for (const how of ['ABORT', 'FAIL', 'ROLLBACK']) {
    it(`keeps nothing of a transaction that fails in its middle (${how}), and what was in the same batch only where it must`, async () => {
      outside.exec(
        `CREATE TRIGGER refuses BEFORE INSERT ON audit WHEN NEW.kind = 'admitted' BEGIN SELECT RAISE(${how}, 'no'); END`,
      );
      const [admitted, appended] = await Promise.allSettled([
        journal.admit(admission('u', { requestId: 'u', nonce: 'u' })),
        journal.append('t', { events: [status('t', 'beside it')] }),
      ]);
      assert.ok(admitted.status === 'rejected' && admitted.reason instanceof StoreUnavailable);
      assert.equal(appended.status, how === 'ROLLBACK' ? 'rejected' : 'fulfilled');
      assert.equal(journal.task('u'), undefined);
      assert.equal(journal.read('u', 0, 10), undefined);
      outside.exec('DROP TRIGGER refuses');
      assert.equal((await journal.admit(admission('u', { requestId: 'u', nonce: 'u' }))).kind, 'admitted');
      await whole(2);
    });
  }

  it('waits for another writer a little, and refuses when that one stays', async () => {
    for (let taken = false; !taken; ) {
      outside.exec('BEGIN IMMEDIATE');
      const began = performance.now();
      const waiting = journal.append('t', { events: [status('t', 'x')] }).then(
        () => true,
        () => false,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      outside.exec('COMMIT');
      // On a host that is late itself the lock was held for longer than anybody waits: once more.
      const soon = performance.now() - began < 250;
      taken = await waiting;
      assert.ok(taken || !soon, 'it did not wait');
    }
    outside.exec('BEGIN IMMEDIATE');
    await assert.rejects(journal.append('t', { events: [status('t', 'x')] }), StoreUnavailable);
    assert.equal(journal.task('t')?.sequence, 2);
    outside.exec('COMMIT');
    await whole(1);
  });

  it('never goes on with another file in the place of its own: that would let every request in again', async () => {
    lose();
    await unavailable('without tables');
    outside.close();
    const move = (from: string, to: string) => {
      for (const suffix of ['', '-wal', '-shm']) {
        rmSync(to + suffix, { force: true });
        if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
      }
    };
    move(file, join(folder, 'kept'));
    await unavailable('without a file');
    assert.equal(existsSync(file), false);

    const other = await openSqliteJournal({ file: join(folder, 'other.db') });
    await other.close();
    move(join(folder, 'other.db'), file);
    await unavailable('with another journal');

    move(join(folder, 'kept'), file);
    outside = new Database(file);
    find();
    await whole(1);
  });
});
