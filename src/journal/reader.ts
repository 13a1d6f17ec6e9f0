/** Reads of what is committed: one read transaction each, so that a row and its events are of one moment. */
import type { Database } from 'better-sqlite3';
import { cursorOf } from './cursor.js';
import type { AuditRow, EventSlice, StoredEvent, TaskQuery, TaskRow } from './journal.js';
import { type AuditColumns, auditRow, type TaskColumns, taskRow } from './rows.js';
import { identityOf } from './schema.js';

type Slice = (taskId: string, after: number, limit: number, bytes: number) => EventSlice | undefined;

const MAX_BYTES = Number.MAX_SAFE_INTEGER;

export class Reader {
  readonly secret: Buffer;
  readonly #sql: ReturnType<typeof statements>;
  readonly #slice: Slice;

  constructor(db: Database) {
    this.#sql = statements(db);
    this.secret = Buffer.from(identityOf(db), 'base64url');
    this.#slice = db.transaction<Slice>((...range) => this.#read(...range));
  }

  task(taskId: string): TaskRow | undefined {
    const columns = this.#sql.byId.get(taskId) as TaskColumns | undefined;
    return columns && taskRow(columns);
  }

  reservation(caller: string, requestId: string): TaskRow | undefined {
    const columns = this.#sql.byRequest.get(caller, requestId) as TaskColumns | undefined;
    return columns && taskRow(columns);
  }

  nonceTaken(caller: string, nonce: string): boolean {
    return this.#sql.byNonce.get(caller, nonce) !== undefined;
  }

  /** Whether the request or its nonce is known, in one read: of an honest create neither is. */
  anyReservation(caller: string, requestId: string, nonce: string): boolean {
    return this.#sql.byEither.get({ caller, requestId, nonce }) !== undefined;
  }

  sequence(taskId: string): number | undefined {
    return this.#sql.sequence.get(taskId) as number | undefined;
  }

  slice(taskId: string, after: number, limit: number, bytes = MAX_BYTES): EventSlice | undefined {
    return this.#slice(taskId, after, limit, bytes);
  }

  #read(taskId: string, after: number, limit: number, bytes: number): EventSlice | undefined {
    const task = this.task(taskId);
    if (task === undefined) return undefined;
    const events: StoredEvent[] = [];
    let used = 0;
    for (const row of this.#sql.events.iterate(taskId, after)) {
      const { sequence, body, meta } = row as { sequence: number; body: string; meta: string | null };
      used += body.length + (meta?.length ?? 0);
      if (events.length > 0 && (used > bytes || events.length >= limit)) break;
      events.push({
        sequence,
        cursor: cursorOf(this.secret, taskId, sequence),
        body,
        ...(meta === null ? {} : { meta }),
      });
    }
    const last = events.at(-1)?.sequence ?? after;
    return { task, events, atEnd: last >= task.sequence };
  }

  /** Newest status first; the task id breaks ties, so that no page loses or repeats a row (OPEN-43). */
  list(query: TaskQuery): { tasks: TaskRow[]; next: string; total: number } {
    const [at, id] = query.after === undefined ? [Number.MAX_SAFE_INTEGER, ''] : placeOf(query.after);
    const filter = {
      caller: query.caller,
      state: query.state ?? null,
      context: query.contextId ?? null,
      since: query.since ?? null,
    };
    const found = this.#sql.list.all({ ...filter, at, id, limit: query.limit + 1 }) as TaskColumns[];
    const page = found.slice(0, query.limit);
    const last = page.at(-1);
    const more = found.length > page.length && last !== undefined;
    return {
      tasks: page.map(taskRow),
      next: more ? Buffer.from(`${last.status_at} ${last.task_id}`).toString('base64url') : '',
      total: this.#sql.count.get(filter) as number,
    };
  }

  open(): TaskRow[] {
    return (this.#sql.open.all() as TaskColumns[]).map(taskRow);
  }

  audits(after: number, limit: number): AuditRow[] {
    return (this.#sql.audits.all(after, limit) as AuditColumns[]).map(auditRow);
  }
}

/** The page token is not one that `list` gave. */
export class BadPageToken extends Error {
  override name = 'BadPageToken';
}

function placeOf(token: string): [number, string] {
  const match = /^(\d{1,16}) (\S{1,128})$/.exec(Buffer.from(token, 'base64url').toString('utf8'));
  if (match === null) throw new BadPageToken();
  return [Number(match[1]), match[2] ?? ''];
}

function statements(db: Database) {
  const where = `caller = @caller AND (@state IS NULL OR state = @state) AND (@context IS NULL OR context_id = @context)
    AND (@since IS NULL OR status_at >= @since)`;
  return {
    byId: db.prepare('SELECT * FROM tasks WHERE task_id = ?'),
    byRequest: db.prepare('SELECT * FROM tasks WHERE caller = ? AND request_id = ?'),
    byNonce: db.prepare('SELECT 1 FROM tasks WHERE caller = ? AND nonce = ?'),
    byEither: db.prepare(`SELECT 1 FROM tasks WHERE caller = @caller AND request_id = @requestId
      UNION ALL SELECT 1 FROM tasks WHERE caller = @caller AND nonce = @nonce LIMIT 1`),
    sequence: db.prepare('SELECT sequence FROM tasks WHERE task_id = ?').pluck(),
    events: db.prepare(
      'SELECT sequence, body, meta FROM events WHERE task_id = ? AND sequence > ? ORDER BY sequence',
    ),
    list: db.prepare(`SELECT * FROM tasks WHERE ${where} AND (status_at < @at OR (status_at = @at AND task_id > @id))
      ORDER BY status_at DESC, task_id LIMIT @limit`),
    count: db.prepare(`SELECT count(*) FROM tasks WHERE ${where}`).pluck(),
    open: db.prepare('SELECT * FROM tasks WHERE terminal_at IS NULL ORDER BY accepted_at, task_id'),
    audits: db.prepare('SELECT * FROM audit WHERE position > ? ORDER BY position LIMIT ?'),
  };
}
