/** The tables of the journal and how an old or foreign file is told from ours. */
import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';

const VERSION = 1;
/** `application_id`: "OABJ". */
const APPLICATION = 0x4f41424a;

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks (
  task_id TEXT PRIMARY KEY,
  context_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  caller TEXT NOT NULL,
  request_id TEXT NOT NULL,
  nonce TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  request TEXT NOT NULL,
  effective TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  deadline_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  head TEXT NOT NULL,
  status_at INTEGER NOT NULL,
  dispatched_at INTEGER,
  cancel_requested_at INTEGER,
  stop_cause TEXT,
  process_group INTEGER,
  process_started TEXT,
  outcome TEXT,
  terminal_at INTEGER,
  floor_sequence INTEGER,
  floor_head TEXT,
  UNIQUE (caller, request_id),
  UNIQUE (caller, nonce)
) WITHOUT ROWID;
CREATE INDEX tasks_listed ON tasks (caller, status_at DESC, task_id);
CREATE INDEX tasks_open ON tasks (accepted_at) WHERE terminal_at IS NULL;
CREATE INDEX tasks_ended ON tasks (terminal_at) WHERE terminal_at IS NOT NULL;
CREATE INDEX tasks_rejected ON tasks (caller) WHERE state = 'TASK_STATE_REJECTED';
CREATE TABLE events (
  task_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  body TEXT NOT NULL,
  meta TEXT,
  PRIMARY KEY (task_id, sequence)
) WITHOUT ROWID;
CREATE TABLE audit (
  position INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  peer TEXT,
  task_id TEXT,
  detail TEXT NOT NULL,
  head TEXT NOT NULL
);
`;

/** The file cannot serve as a journal; the message says which, why, and what to do. */
export class JournalUnusable extends Error {
  override name = 'JournalUnusable';
}

/** What the write-ahead log keeps of its file after a checkpoint. */
const LOG_BYTES = 16 * 1024 * 1024;

/**
 * Sets the connection up for durable writes and makes the tables in a new file; returns the journal's identity. With
 * `identity` it must be that very journal: a new file in its place would let every request in a second time.
 */
export function prepare(db: Database, file: string, identity?: string): string {
  db.pragma('journal_mode = WAL');
  // FULL: in WAL mode anything less loses the last commits when the power fails, and they were acknowledged.
  db.pragma('synchronous = FULL');
  // A reader of another program may pin the log; once it goes, the file gives back what it grew by.
  db.pragma(`journal_size_limit = ${LOG_BYTES}`);
  const version = db.pragma('user_version', { simple: true }) as number;
  const application = db.pragma('application_id', { simple: true }) as number;
  if (identity === undefined && version === 0 && application === 0 && isEmpty(db)) {
    db.transaction(() => {
      db.exec(TABLES);
      db.prepare('INSERT INTO meta VALUES (?, ?)').run(
        'cursor_secret',
        randomBytes(32).toString('base64url'),
      );
      db.pragma(`application_id = ${APPLICATION}`);
      db.pragma(`user_version = ${VERSION}`);
    })();
    return identityOf(db);
  }
  if (application !== APPLICATION) {
    throw new JournalUnusable(`${file}: a database of another program; name a new file`);
  }
  if (version !== VERSION) {
    throw new JournalUnusable(
      `${file}: schema version ${version}, this program writes ${VERSION}; use the version that made it`,
    );
  }
  const found = identityOf(db);
  if (identity !== undefined && found !== identity) {
    throw new JournalUnusable(`${file}: not the journal that was opened here; put that one back`);
  }
  return found;
}

/** The secret of its cursors, made once with the file. */
export function identityOf(db: Database): string {
  return db.prepare(`SELECT value FROM meta WHERE key = 'cursor_secret'`).pluck().get() as string;
}

function isEmpty(db: Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() === 0;
}
