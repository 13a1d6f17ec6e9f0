/** The thread that writes: one batch, one transaction, one answer; so the event loop never waits for the disk. */
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { JournalUnusable, prepare } from './schema.js';
import { type Operation, type Results, Writer } from './writer.js';

export interface WorkerData {
  file: string;
  maxBytes?: number;
  /** Of the journal that this process has opened before: no other may be written in its place. */
  identity?: string;
}

/** `code` is SQLite's, for the log; `store: false` is a defect of ours. */
export type Answer =
  | { ok: true; value: Results[Operation['kind']] }
  | { ok: false; store: boolean; code: string; message: string };

export type FromWorker = { ready: string } | { unusable: string } | { answers: Answer[] };

interface Open {
  db: Database.Database;
  writer: Writer;
  identity: string;
}

/** How long a batch waits for whoever else writes to the file: a back-up, an operator's shell. */
const BUSY_MS = 500;

const { file, maxBytes, ...data } = workerData as WorkerData;
const port = parentPort;
if (port === null) throw new Error('this file is a worker');

let identity = data.identity;
let open: Open | undefined;
try {
  open = connect();
  identity = open.identity;
  post({ ready: open.identity });
} catch (error) {
  const { message } = error as Error;
  post({ unusable: error instanceof JournalUnusable ? message : `${file}: ${message}` });
}

port.on('message', (operations: Operation[]) => {
  post({ answers: batch(operations) });
});

function connect(): Open {
  const db = new Database(file, { fileMustExist: identity !== undefined, timeout: BUSY_MS });
  try {
    const found = prepare(db, file, identity);
    if (maxBytes !== undefined) {
      const page = db.pragma('page_size', { simple: true }) as number;
      db.pragma(`max_page_count = ${Math.max(16, Math.floor(maxBytes / page))}`);
    }
    return { db, writer: new Writer(db), identity: found };
  } catch (error) {
    db.close();
    throw error;
  }
}

function batch(operations: readonly Operation[]): Answer[] {
  try {
    open ??= connect();
    return together(open, operations) ?? oneByOne(open, operations);
  } catch (error) {
    // A store that was full, lost or busy may have left the connection, or what the writer remembers, behind the file.
    disconnect();
    return operations.map(() => failure(error));
  }
}

/**
 * All without a savepoint, which would copy each page before it is touched; undefined where one failed, and then
 * nothing was done.
 */
function together({ db, writer }: Open, operations: readonly Operation[]): Answer[] | undefined {
  db.exec('BEGIN IMMEDIATE');
  let answers: Answer[];
  try {
    answers = operations.map((operation) => ({ ok: true, value: writer.run(operation) }));
  } catch {
    // Which one it was and why is told by the second try.
    if (db.inTransaction) db.exec('ROLLBACK');
    writer.reload();
    return undefined;
  }
  db.exec('COMMIT');
  return answers;
}

/** Each for itself: one that fails takes no other with it. */
function oneByOne({ db, writer }: Open, operations: readonly Operation[]): Answer[] {
  db.exec('BEGIN IMMEDIATE');
  const answers: Answer[] = [];
  for (const operation of operations) {
    try {
      answers.push({ ok: true, value: writer.apply(operation) });
    } catch (error) {
      // Out of space, SQLite may have rolled the whole batch back: then nobody's write happened.
      if (!db.inTransaction) throw error;
      answers.push(failure(error));
    }
  }
  db.exec('COMMIT');
  return answers;
}

/** Ends the connection with what it had not committed; the next batch opens another one. */
function disconnect(): void {
  try {
    open?.db.close();
  } catch {
    // It is given up either way; what holds is what the file says.
  }
  open = undefined;
}

function failure(error: unknown): Answer {
  const { code = '', message } = error as { code?: string; message: string };
  return { ok: false, store: error instanceof JournalUnusable || isStores(code), code, message };
}

/** A broken rule of our tables is a defect of ours, except that of a trigger: we have none. */
function isStores(code: string): boolean {
  if (code === 'SQLITE_CONSTRAINT_TRIGGER') return true;
  return code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT');
}

function post(message: FromWorker): void {
  port?.postMessage(message);
}
