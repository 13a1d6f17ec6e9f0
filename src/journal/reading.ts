/** The connection that reads: opened anew after it broke, and never on another file than the first time. */
import Database from 'better-sqlite3';
import { StoreUnavailable } from './journal.js';
import { Reader } from './reader.js';

/** A read waits on the event loop of everybody: not for long. */
const BUSY_MS = 100;

export class Reading {
  /** The key of this journal's cursors. */
  readonly secret: Buffer;
  readonly #file: string;
  #open: { db: Database.Database; reader: Reader } | undefined;

  /** Throws SQLite's error when the file cannot be read. */
  constructor(file: string) {
    this.#file = file;
    this.#open = connect(file);
    this.secret = this.#open.reader.secret;
  }

  /** What `question` answers; throws StoreUnavailable when the store does not. */
  ask<T>(question: (reader: Reader) => T): T {
    try {
      this.#open ??= this.#again();
      return question(this.#open.reader);
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
      // Whether the connection outlived it cannot be told: the next question opens one that has.
      this.close();
      throw new StoreUnavailable(`${this.#file}: the journal cannot be read (${error.code})`);
    }
  }

  close(): void {
    this.#open?.db.close();
    this.#open = undefined;
  }

  #again(): { db: Database.Database; reader: Reader } {
    const open = connect(this.#file);
    if (open.reader.secret.equals(this.secret)) return open;
    open.db.close();
    throw new StoreUnavailable(`${this.#file}: not the journal that was opened here`);
  }
}

function connect(file: string): { db: Database.Database; reader: Reader } {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  try {
    return { db, reader: new Reader(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
