/** The thread that writes: one batch, one transaction, one answer; so the event loop never waits for the disk. */
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { prepare } from './schema.js';
import { type Operation, type Results, Writer } from './writer.js';

export interface WorkerData {
  file: string;
  maxBytes?: number;
}

/** `code` is SQLite's, for the log; `store: false` is a defect of ours. */
export type Answer =
  | { ok: true; value: Results[Operation['kind']] }
  | { ok: false; store: boolean; code: string; message: string };

export type FromWorker = { ready: true } | { unusable: string } | { answers: Answer[] };

const { file, maxBytes } = workerData as WorkerData;
const port = parentPort;
if (port === null) throw new Error('this file is a worker');

let db: Database.Database;
let writer: Writer;
try {
  db = new Database(file);
  prepare(db, file);
  if (maxBytes !== undefined) {
    const page = db.pragma('page_size', { simple: true }) as number;
    db.pragma(`max_page_count = ${Math.max(16, Math.floor(maxBytes / page))}`);
  }
  writer = new Writer(db);
  post({ ready: true });
} catch (error) {
  post({ unusable: (error as Error).message });
}

port.on('message', (operations: Operation[]) => {
  post({ answers: batch(operations) });
});

function batch(operations: readonly Operation[]): Answer[] {
  try {
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
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    writer.reload();
    return operations.map(() => failure(error));
  }
}

function failure(error: unknown): Answer {
  const { code = '', message } = error as { code?: string; message: string };
  return {
    ok: false,
    store: code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT'),
    code,
    message,
  };
}

function post(message: FromWorker): void {
  port?.postMessage(message);
}
