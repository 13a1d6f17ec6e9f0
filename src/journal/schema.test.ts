/** What the journal's connection promises of durability. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { prepare } from './schema.js';

describe('a prepared connection', () => {
  it('writes ahead, and waits for the disk at every commit (OPEN-50)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'oab-schema-'));
    const file = join(folder, 'journal.db');
    const db = new Database(file);
    try {
      prepare(db, file);
      assert.equal(db.pragma('journal_mode', { simple: true }), 'wal');
      // 2 is FULL: with less, commits that were acknowledged are lost with the power.
      assert.equal(db.pragma('synchronous', { simple: true }), 2);
      assert.equal(db.pragma('journal_size_limit', { simple: true }), 16 * 1024 * 1024);
    } finally {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
