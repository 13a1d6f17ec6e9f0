import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { type Journal, StoreUnavailable, type TaskRow } from './journal.js';
import { LiveTasks } from './live-tasks.js';
import { openSqliteJournal } from './sqlite.js';
import { admission, status, terminal } from './testing/drafts.js';

const row = (taskId: string, sequence: number) => ({ taskId, sequence }) as TaskRow;
const cursor = (taskId: string, sequence: number) => `${taskId} ${sequence}`;

describe('the tasks that move, in memory', () => {
  it('give what was acknowledged, within the limits of a read, or leave it to the file', () => {
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 9000 }), { maxLength: 40 }), { maxLength: 40 });
    const read = fc.record({
      back: fc.nat(60),
      limit: fc.integer({ min: 1, max: 50 }),
      bytes: fc.nat(30_000),
    });
    fc.assert(
      fc.property(sizes, fc.array(read, { minLength: 1 }), (appends, reads) => {
        const live = new LiveTasks(1e9, cursor);
        const bodies: string[] = [];
        live.moved(row('t', 0), []);
        for (const append of appends) {
          const drafts = append.map((length) => ({
            body: 'x'.repeat(length),
            state: 'TASK_STATE_WORKING' as const,
          }));
          bodies.push(...drafts.map(({ body }) => body));
          live.moved(row('t', bodies.length), drafts);
        }
        for (const { back, limit, bytes } of reads) {
          const after = Math.max(0, bodies.length - back);
          const slice = live.read('t', after, limit, bytes);
          // The newest event at least is here, and so nothing is asked of the file by who has seen all but it.
          if (slice === undefined) {
            assert.ok(back > 1);
            continue;
          }
          let used = 0;
          const fits = bodies.slice(after).findIndex((body, index) => {
            used += body.length;
            return index > 0 && (used > bytes || index >= limit);
          });
          const expected = fits === -1 ? bodies.slice(after) : bodies.slice(after, after + fits);
          assert.deepEqual(
            slice.events,
            expected.map((body, index) => ({
              sequence: after + 1 + index,
              cursor: `t ${after + 1 + index}`,
              body,
            })),
          );
          assert.equal(slice.atEnd, after + expected.length === bodies.length);
          assert.equal(slice.task.sequence, bodies.length);
        }
      }),
    );
  });

  it('are forgotten in the order in which they moved, when they are too many', () => {
    const live = new LiveTasks(3 * 2048 + 100, cursor);
    for (const taskId of ['a', 'b', 'c', 'a', 'd']) live.moved(row(taskId, 0), []);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((taskId) => live.task(taskId) !== undefined),
      [true, false, true, true],
    );
    live.forget('c');
    live.moved(row('e', 0), []);
    assert.ok(live.task('a') && live.task('d') && live.task('e'));
  });

  it('give those who wait together one slice', () => {
    const live = new LiveTasks(1e6, cursor);
    live.moved(row('t', 1), [status('t', 'a')]);
    assert.equal(live.read('t', 0, 9, 99), live.read('t', 0, 9, 99));
    const before = live.read('t', 1, 9, 99);
    live.moved(row('t', 2), [status('t', 'b')]);
    assert.deepEqual([before?.events.length, live.read('t', 1, 9, 99)?.events.length], [0, 1]);
  });
});

describe('a journal that keeps the tasks that move in memory', () => {
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

  it('reads a log whole, be its beginning in the file alone, and the same after everything was forgotten', async () => {
    await journal.admit(admission('t', {}));
    for (let n = 0; n < 900; n += 30) {
      await journal.append('t', { events: Array.from({ length: 30 }, (_, i) => status('t', `${n + i}`)) });
    }
    await journal.append('t', {
      events: [terminal('t', 'end')],
      set: { terminalAt: 1, outcome: 'completed' },
    });
    const whole = () => [0, 100, 880, 901, 902].map((after) => journal.read('t', after, 1000));
    const read = whole();
    assert.deepEqual(
      read.map((slice) => [slice?.events[0]?.sequence, slice?.events.at(-1)?.sequence, slice?.atEnd]),
      [
        [1, 902, true],
        [101, 902, true],
        [881, 902, true],
        [902, 902, true],
        [undefined, undefined, true],
      ],
    );
    await journal.trim(0, 0);
    assert.deepEqual(whole(), read);
    await journal.trim(2, 0);
    assert.equal(journal.task('t')?.floor?.sequence, 901);
  });

  it('answers of a task what was acknowledged last, also while its store is away', async () => {
    await journal.admit(admission('t', {}));
    const outside = new Database(file);
    outside.exec('ALTER TABLE tasks RENAME TO gone');
    assert.equal(journal.task('t')?.sequence, 1);
    assert.equal(journal.read('t', 0, 10)?.events.length, 1);
    assert.throws(() => journal.task('u'), StoreUnavailable);
    await assert.rejects(journal.append('t', { events: [status('t', 'x')] }), StoreUnavailable);
    // Whether that one stands only the file can tell.
    assert.throws(() => journal.task('t'), StoreUnavailable);
    outside.exec('ALTER TABLE gone RENAME TO tasks');
    outside.close();
    assert.equal((await journal.append('t', { events: [status('t', 'y')] })).task.sequence, 2);
  });
});
