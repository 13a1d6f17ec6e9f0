/** Somebody else on the subject's database: a connection of the harness's own process, for one purpose and then gone. */
import Database from 'better-sqlite3';

/** The subject may be committing: it is waited for. */
const PATIENCE_MS = 5000;

/** What `act` answers, over a connection of its own; `patienceMs` is how long the locks of others are waited for. */
export function outside<T>(file: string, act: (db: Database.Database) => T, patienceMs = PATIENCE_MS): T {
  const db = new Database(file, { fileMustExist: true, timeout: patienceMs });
  try {
    return act(db);
  } finally {
    db.close();
  }
}

export function tablesOf(db: Database.Database): string[] {
  return db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all() as string[];
}

/** SQLite's code for a write that somebody else tries; undefined when it is taken. Nothing of it stays. */
export function refusal(file: string, patienceMs = PATIENCE_MS): string | undefined {
  try {
    outside(
      file,
      (db) => {
        db.exec('BEGIN IMMEDIATE; UPDATE meta SET value = value');
        db.exec('ROLLBACK');
      },
      patienceMs,
    );
    return undefined;
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
}
