import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../profile/canonical.js';
import { firstHead, nextHead } from '../profile/chain.js';
import type { Digest } from '../profile/model.js';
import { brokenAt } from './audit-chain.js';
import { type Journal, StoreUnavailable } from './journal.js';
import { JournalUnusable } from './schema.js';
import { openSqliteJournal } from './sqlite.js';
import { admission, status, terminal } from './testing/drafts.js';

describe('the SQLite journal', () => {
  let folder: string;
  let file: string;
  let journal: Journal;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-journal-'));
    file = join(folder, 'journal.db');
    journal = await openSqliteJournal({ file });
  });
  afterEach(async () => {
    await journal.close();
    rmSync(folder, { recursive: true });
  });

  it('admits once: duplicate, conflict and nonce reuse are told apart, and the nonce is looked at last (D-1)', async () => {
    const first = await journal.admit(admission('t1', { requestId: 'r1', nonce: 'n1' }));
    assert.equal(first.kind, 'admitted');
    const again = await journal.admit(admission('t2', { requestId: 'r1', nonce: 'n1' }));
    assert.equal(again.kind, 'duplicate');
    assert.equal(again.kind === 'duplicate' && again.task.taskId, 't1');
    const fresh = await journal.admit(admission('t3', { requestId: 'r1', nonce: 'n9' }));
    assert.equal(fresh.kind, 'duplicate');
    const other = await journal.admit(
      admission('t4', { requestId: 'r1', nonce: 'n1', digest: sha256('other') }),
    );
    assert.equal(other.kind, 'conflict');
    const replay = await journal.admit(
      admission('t5', { requestId: 'r2', nonce: 'n1', digest: sha256('other') }),
    );
    assert.equal(replay.kind, 'nonce_reused');
    const foreign = await journal.admit(admission('t6', { requestId: 'r1', nonce: 'n1', caller: 'oab-c' }));
    assert.equal(foreign.kind, 'admitted');
    assert.equal(journal.reserved('oab-a', 'r1', sha256('r1'), 'nx')?.kind, 'duplicate');
    assert.equal(journal.reserved('oab-a', 'r9', sha256('r9'), 'n1')?.kind, 'nonce_reused');
    assert.equal(journal.reserved('oab-a', 'r9', sha256('r9'), 'n0'), undefined);
    assert.equal(journal.audits(0, 10).length, 2);
  });

  it('lets exactly one of 200 concurrent identical creates in', async () => {
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        journal.admit(admission(`t${index}`, { requestId: 'same', nonce: 'n' })),
      ),
    );
    assert.equal(all.filter(({ kind }) => kind === 'admitted').length, 1);
    assert.equal(all.filter(({ kind }) => kind === 'duplicate').length, 199);
    assert.equal(new Set(all.map((one) => ('task' in one ? one.task.taskId : ''))).size, 1);
  });

  it('gives each event one sequence without holes, and the chain that anyone can recompute', async () => {
    const tasks = Array.from({ length: 8 }, (_, index) => `t${index}`);
    await Promise.all(tasks.map((id) => journal.admit(admission(id, { requestId: id, nonce: id }))));
    await Promise.all(
      tasks.flatMap((id) =>
        Array.from({ length: 50 }, (_, n) => journal.append(id, { events: [status(id, `s${n}`)] })),
      ),
    );
    for (const id of tasks) {
      const slice = journal.read(id, 0, 1000);
      assert.ok(slice);
      assert.deepEqual(
        slice.events.map(({ sequence }) => sequence),
        Array.from({ length: 51 }, (_, n) => n + 1),
      );
      let head: Digest = firstHead(id, sha256(id));
      for (const { body } of slice.events) head = nextHead(head, body);
      assert.equal(head, slice.task.head);
      assert.equal(slice.atEnd, true);
    }
  });

  it('lets the first terminal win, and says moved when the log went on', async () => {
    await journal.admit(admission('t', {}));
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        journal.append('t', { events: [terminal('t', `end ${n}`)], expect: 1 }),
      ),
    );
    assert.equal(ends.filter(({ kind }) => kind === 'appended').length, 1);
    assert.equal(ends.filter(({ kind }) => kind === 'terminal').length, 19);
    await journal.admit(admission('u', { requestId: 'u', nonce: 'u' }));
    await journal.append('u', { events: [status('u', 'x')] });
    assert.equal((await journal.append('u', { events: [terminal('u', 'late')], expect: 1 })).kind, 'moved');
    assert.equal(journal.task('u')?.sequence, 2);
  });

  it('keeps the first stop cause, cancel and dispatch', async () => {
    await journal.admit(admission('t', {}));
    await journal.append('t', {
      events: [],
      set: { stopCause: 'deadline', cancelRequestedAt: 5, dispatchedAt: 6 },
    });
    await journal.append('t', {
      events: [],
      set: { stopCause: 'cancel', cancelRequestedAt: 7, dispatchedAt: 8 },
    });
    const { stopCause, cancelRequestedAt, dispatchedAt } = journal.task('t')!;
    assert.deepEqual(
      { stopCause, cancelRequestedAt, dispatchedAt },
      { stopCause: 'deadline', cancelRequestedAt: 5, dispatchedAt: 6 },
    );
  });

  it('never loses a wake-up, and leaves no waiter behind', async () => {
    await journal.admit(admission('t', {}));
    for (let n = 1; n <= 200; n += 1) {
      const woken = journal.wake('t', n, new AbortController().signal);
      const [appended] = await Promise.all([journal.append('t', { events: [status('t', 'x')] }), woken]);
      assert.equal(appended.task.sequence, n + 1);
    }
    const abort = new AbortController();
    const waiting = journal.wake('t', 201, abort.signal);
    abort.abort();
    await waiting;
  });

  it('names positions by cursors that only this task understands', async () => {
    await journal.admit(admission('t', {}));
    await journal.admit(admission('u', { requestId: 'u', nonce: 'u' }));
    const cursor = journal.cursor('t', 1);
    assert.match(cursor, /^[\x21-\x2b\x2d-\x7e]{1,256}$/);
    assert.equal(journal.position('t', cursor), 1);
    assert.equal(journal.position('u', cursor), undefined);
    assert.equal(journal.position('t', '0'), 0);
    for (let at = 0; at < cursor.length; at += 1) {
      for (const other of ['0', '1', '9', 'A', 'z', '-', '.', '']) {
        const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
        if (changed !== cursor) assert.equal(journal.position('t', changed), undefined, changed);
      }
    }
  });

  it('trims to the terminal event and keeps what the chain needs to verify it', async () => {
    await journal.admit(admission('t', {}));
    await journal.append('t', { events: [status('t', 'x'), status('t', 'y')] });
    await journal.append('t', {
      events: [terminal('t', 'z')],
      set: { terminalAt: 1000, outcome: 'completed' },
    });
    const before = journal.task('t')!;
    assert.equal(await journal.trim(1000, 0), 0);
    assert.equal(await journal.trim(1001, 0), 1);
    assert.equal(await journal.trim(1001, 0), 0);
    const slice = journal.read('t', 0, 10)!;
    assert.deepEqual(
      slice.events.map(({ sequence }) => sequence),
      [4],
    );
    assert.equal(slice.task.floor?.sequence, 3);
    assert.equal(nextHead(slice.task.floor!.head, slice.events[0]!.body), before.head);
    assert.equal((await journal.admit(admission('t2', {}))).kind, 'duplicate');
    await journal.trim(2000, 2000);
    assert.equal(journal.task('t'), undefined);
  });

  it('chains the audit, so that a changed row shows', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => journal.audit({ kind: 'refused', at: n, detail: { n } })),
    );
    const rows = journal.audits(0, 100);
    assert.deepEqual(
      rows.map(({ index }) => index),
      Array.from({ length: 30 }, (_, n) => n + 1),
    );
    assert.equal(brokenAt(rows), undefined);
    rows[10] = { ...rows[10]!, detail: { n: 99 } };
    assert.equal(brokenAt(rows), 11);
  });

  it('takes all of a batch but the write that fails, which leaves nothing behind', async () => {
    await journal.admit(admission('t', {}));
    const audited = (n: number) => journal.audit({ kind: 'refused', at: n, detail: { n } });
    const written = await Promise.allSettled([
      audited(1),
      journal.append('t', { events: [status('t', 'a')] }),
      // No such task, and after its event another one: the append of two events breaks half way.
      journal.append('t', { events: [terminal('t', 'b'), status('t', 'c'), status('t', 'd')] }),
      journal.append('none', { events: [status('none', 'x')] }),
      audited(2),
    ]);
    assert.deepEqual(
      written.map(({ status: how }) => how),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(
      journal.read('t', 1, 10)?.events.map(({ sequence }) => sequence),
      [2],
    );
    assert.equal(journal.task('t')?.sequence, 2);
    const rows = journal.audits(0, 10);
    assert.deepEqual([rows.length, brokenAt(rows)], [3, undefined]);
  });

  it('refuses a second process, another program’s database and a newer schema', async () => {
    await assert.rejects(
      openSqliteJournal({ file }),
      (error) => error instanceof JournalUnusable && /another executor/.test(error.message),
    );
    const text = join(folder, 'text.db');
    writeFileSync(text, 'this is no database, not at all, but it is long enough to be looked at');
    await assert.rejects(
      openSqliteJournal({ file: text }),
      (error) => error instanceof JournalUnusable && error.message.startsWith(text),
    );
  });

  it('survives a full store: the write is refused whole, and room makes it work again', async () => {
    await journal.close();
    rmSync(file);
    const tight = await openSqliteJournal({ file, maxBytes: 600_000 });
    journal = tight;
    await tight.admit(admission('t', {}));
    const big = status('t', 'x'.repeat(50_000));
    let refused: unknown;
    let written = 1;
    while (refused === undefined && written < 100) {
      await tight.append('t', { events: [big, big] }).then(
        () => {
          written += 2;
        },
        (error) => {
          refused = error;
        },
      );
    }
    assert.ok(refused instanceof StoreUnavailable);
    assert.equal(tight.task('t')?.sequence, written);
    await tight.close();
    journal = await openSqliteJournal({ file, maxBytes: 6_000_000 });
    assert.equal((await journal.append('t', { events: [big] })).task.sequence, written + 1);
  });

  it('holds everything that it acknowledged before a SIGKILL', async () => {
    await journal.close();
    const script = fileURLToPath(new URL('testing/append-until-killed.ts', import.meta.url));
    const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', script, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout! })) {
      acknowledged = Number(line);
      if (acknowledged === 500) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    journal = await openSqliteJournal({ file });
    assert.ok(acknowledged >= 500);
    const slice = journal.read('t', 0, 1_000_000)!;
    assert.ok(slice.task.sequence >= acknowledged);
    assert.deepEqual(
      slice.events.map(({ sequence }) => sequence),
      Array.from({ length: slice.task.sequence }, (_, n) => n + 1),
    );
  });
});
