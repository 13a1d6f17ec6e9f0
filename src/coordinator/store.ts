/**
 * The coordinator's own memory: one row per delegation. The intent is durable before the first byte is sent, so that
 * a crash at any point leads to one request id and byte-identical messages (O-147, O-148).
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Digest } from '../profile/model.js';

export interface Delegation {
  requestId: string;
  peer: string;
  /** The request exactly as it is sent, as JSON text. */
  request: string;
  requestDigest: Digest;
  /** The bound that goes into tokens. */
  cap: string[];
  createdAt: number;
  /** A create may have been delivered. */
  sent: boolean;
  taskId?: string;
  turnId?: string;
  acceptedAt?: number;
  cancelWanted: boolean;
  /** The last event that was taken into our own chain. */
  cursor: string;
  sequence: number;
  head?: Digest;
  /** Where our chain began: 0, or the executor's floor. */
  from: number;
  gaps: boolean;
  /** The final line as it was printed, once there is one. */
  result?: string;
}

const TABLE = `CREATE TABLE IF NOT EXISTS delegations (
  request_id TEXT PRIMARY KEY, peer TEXT NOT NULL, request TEXT NOT NULL, request_digest TEXT NOT NULL, cap TEXT NOT NULL,
  created_at INTEGER NOT NULL, sent INTEGER NOT NULL, task_id TEXT, turn_id TEXT, accepted_at INTEGER,
  cancel_wanted INTEGER NOT NULL, cursor TEXT NOT NULL, sequence INTEGER NOT NULL, head TEXT, chain_from INTEGER NOT NULL,
  gaps INTEGER NOT NULL, result TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS delegations_by_task ON delegations (task_id)`;
const VERSION = 1;

export interface Store {
  /** false when there is one of that request id already. */
  insert(delegation: Delegation): boolean;
  update(requestId: string, change: Partial<Delegation>): void;
  /** By request id, or by a task id that only one delegation has: executors mint them, and may not shadow each other. */
  find(id: string): Delegation | undefined;
  /** Oldest first. */
  all(): Delegation[];
  close(): void;
}

/** The file cannot serve as the coordinator's store. */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable';
}

export function openStore(file: string): Store {
  let db: Database.Database;
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Several commands may work beside each other: each write is one short transaction.
    db = new Database(file, { timeout: 5000 });
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    const version = db.pragma('user_version', { simple: true }) as number;
    if (version > VERSION) throw new Error(`schema version ${version}, this program writes ${VERSION}`);
    db.exec(TABLE);
    db.pragma(`user_version = ${VERSION}`);
  } catch (error) {
    throw new StoreUnusable(`${file}: ${(error as Error).message}`);
  }
  const columns = Object.values(COLUMNS);
  const insert = db.prepare(
    `INSERT INTO delegations (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')}) ON CONFLICT DO NOTHING`,
  );
  const byRequest = db.prepare('SELECT * FROM delegations WHERE request_id = ?');
  const byTask = db.prepare('SELECT * FROM delegations WHERE task_id = ? LIMIT 2');
  const all = db.prepare('SELECT * FROM delegations ORDER BY created_at, request_id');
  return {
    insert: (delegation) => insert.run(toColumns(delegation, columns)).changes === 1,
    update(requestId, change) {
      const names = Object.keys(change).map((key) => COLUMNS[key as keyof Delegation]);
      const set = names.map((name) => `${name} = @${name}`).join(', ');
      db.prepare(`UPDATE delegations SET ${set} WHERE request_id = @id`).run({
        ...toColumns(change, names),
        id: requestId,
      });
    },
    find(id) {
      const rows = [byRequest.get(id) ?? byTask.all(id)].flat() as Row[];
      return rows[0] !== undefined && rows.length === 1 ? fromColumns(rows[0]) : undefined;
    },
    all: () => (all.all() as Row[]).map(fromColumns),
    close: () => db.close(),
  };
}

type Row = Record<string, string | number | null>;

const COLUMNS: Record<keyof Delegation, string> = {
  requestId: 'request_id',
  peer: 'peer',
  request: 'request',
  requestDigest: 'request_digest',
  cap: 'cap',
  createdAt: 'created_at',
  sent: 'sent',
  taskId: 'task_id',
  turnId: 'turn_id',
  acceptedAt: 'accepted_at',
  cancelWanted: 'cancel_wanted',
  cursor: 'cursor',
  sequence: 'sequence',
  head: 'head',
  from: 'chain_from',
  gaps: 'gaps',
  result: 'result',
};

function toColumns(change: Partial<Delegation>, names: readonly string[]): Row {
  const row: Row = Object.fromEntries(names.map((name) => [name, null]));
  for (const [key, value] of Object.entries(change)) {
    const name = COLUMNS[key as keyof Delegation];
    if (Array.isArray(value)) row[name] = JSON.stringify(value);
    else row[name] = typeof value === 'boolean' ? Number(value) : value;
  }
  return row;
}

function fromColumns(row: Row): Delegation {
  const entries = Object.entries(COLUMNS).flatMap(([key, name]) => {
    const value = row[name];
    if (value === null || value === undefined) return [];
    if (key === 'cap') return [[key, JSON.parse(String(value))]];
    if (key === 'sent' || key === 'cancelWanted' || key === 'gaps') return [[key, value === 1]];
    return [[key, value]];
  });
  return Object.fromEntries(entries) as Delegation;
}
