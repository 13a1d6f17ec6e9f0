/** The journal on SQLite: one writer thread, reads on this thread, wake-ups in between. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { cursorOf, positionOf } from './cursor.js';
import { GroupCommit } from './group-commit.js';
import type { Admitted, Appended, EventSlice, Journal, TaskRow } from './journal.js';
import { LiveTasks } from './live-tasks.js';
import { Reading } from './reading.js';
import { reserved } from './reserved.js';
import { JournalUnusable } from './schema.js';
import { WakeUps } from './wake-ups.js';
import type { Operation, Results } from './writer.js';

export interface SqliteOptions {
  file: string;
  /** The database may not grow beyond this; a write that would is refused and nothing of it stays. */
  maxBytes?: number;
  /** Writes that may wait in memory; beyond it they are refused. */
  maxQueuedBytes?: number;
  /** What may be kept in memory of the tasks that move; 0: every read is the file's. */
  liveBytes?: number;
}

const LIVE_BYTES = 16 * 1024 * 1024;

/** Opens or makes the journal; throws JournalUnusable for a foreign, newer, damaged or already opened file. */
export async function openSqliteJournal(options: SqliteOptions): Promise<Journal> {
  const { file } = options;
  let lock: Database.Database;
  try {
    mkdirSync(dirname(file), { recursive: true });
    lock = takeLock(file);
  } catch (error) {
    const busy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;
    throw new JournalUnusable(
      busy
        ? `${file}: another executor has this journal open; one journal serves one executor`
        : `${file}: ${(error as Error).message}`,
    );
  }
  const wakeUps = new WakeUps();
  const live = new LiveTasks(options.liveBytes ?? LIVE_BYTES, (taskId, sequence) =>
    cursorOf(reading.secret, taskId, sequence),
  );
  const writer = new GroupCommit(
    { file, ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }) },
    options.maxQueuedBytes ?? 64 * 1024 * 1024,
    (operation, value) => {
      remember(live, operation, value);
      announce(wakeUps, operation, value);
    },
  );
  let reading: Reading;
  try {
    await writer.open();
    reading = new Reading(file);
  } catch (error) {
    await writer.close();
    lock.close();
    if (error instanceof JournalUnusable) throw error;
    throw new JournalUnusable(`${file}: ${(error as Error).message}`);
  }

  return {
    admit: (admission) => writer.write({ kind: 'admit', admission }),
    reserved: (caller, requestId, digest, nonce) =>
      reading.ask((reader) =>
        reader.anyReservation(caller, requestId, nonce)
          ? reserved(reader, caller, requestId, digest, nonce)
          : undefined,
      ),
    append: (taskId, append) => writer.write({ kind: 'append', taskId, append }),
    task: (taskId) => live.task(taskId) ?? reading.ask((reader) => reader.task(taskId)),
    read(taskId, after, limit, bytes = Number.MAX_SAFE_INTEGER) {
      const slice = live.read(taskId, after, limit, bytes);
      if (slice !== undefined) return slice;
      return asOf(
        live.task(taskId),
        after,
        reading.ask((reader) => reader.slice(taskId, after, limit, bytes)),
      );
    },
    list: (query) => reading.ask((reader) => reader.list(query)),
    open: () => reading.ask((reader) => reader.open()),
    async wake(taskId, after, signal) {
      // Read and register in one turn: what commits later is announced later.
      const sequence = live.task(taskId)?.sequence ?? reading.ask((reader) => reader.sequence(taskId));
      if (sequence === undefined || sequence > after) return;
      await wakeUps.wait(taskId, after, signal);
    },
    cursor: (taskId, sequence) => cursorOf(reading.secret, taskId, sequence),
    position: (taskId, cursor) => positionOf(reading.secret, taskId, cursor),
    trim: (endedBefore, purgedBefore) =>
      writer.write({ kind: 'trim', endedBefore, reservedBefore: purgedBefore }),
    audit: (draft, again = false) => writer.write({ kind: 'audit', draft, again }),
    audits: (after, limit) => reading.ask((reader) => reader.audits(after, limit)),
    healthy: () =>
      writer.write({ kind: 'probe' }).then(
        () => true,
        () => false,
      ),
    async close() {
      await writer.close();
      reading.close();
      lock.close();
    },
  };
}

/** A lock that the operating system drops with the process, however it ends. */
function takeLock(file: string): Database.Database {
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE; COMMIT');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** What the file says, as of the row that is known here: the file may be a batch ahead. */
function asOf(
  task: TaskRow | undefined,
  after: number,
  slice: EventSlice | undefined,
): EventSlice | undefined {
  if (task === undefined || slice === undefined) return slice;
  const events = slice.events.filter(({ sequence }) => sequence <= task.sequence);
  return { task, events, atEnd: (events.at(-1)?.sequence ?? after) >= task.sequence };
}

function remember(
  live: LiveTasks,
  operation: Operation,
  value: Results[Operation['kind']] | undefined,
): void {
  if (operation.kind === 'append') {
    const appended = value as Appended | undefined;
    if (appended?.kind === 'appended') live.moved(appended.task, operation.append.events);
    // Not only a lost answer: what a refused one says of the row may be older than what is known here.
    else live.forget(operation.taskId);
  } else if (operation.kind === 'admit') {
    const admitted = value as Admitted | undefined;
    if (admitted?.kind === 'admitted') live.moved(admitted.task, operation.admission.events);
  } else if (operation.kind === 'trim') live.clear();
}

/** Where it is not known whether the task moved on, whoever waits for it looks again. */
function announce(
  wakeUps: WakeUps,
  operation: Operation,
  value: Results[Operation['kind']] | undefined,
): void {
  if (operation.kind !== 'append') return;
  if (value === undefined) {
    wakeUps.publish(operation.taskId, Number.POSITIVE_INFINITY);
    return;
  }
  const { kind, task } = value as Appended;
  if (kind === 'appended') wakeUps.publish(task.taskId, task.sequence);
}
