/** The sole writer: each operation as one step of a group commit. Pure over an open database; no thread, no clock. */
import type { Database, Statement } from 'better-sqlite3';
import { firstHead, nextHead } from '../profile/chain.js';
import { isTerminal } from '../profile/lifecycle.js';
import type { Digest } from '../profile/model.js';
import { auditHead, FIRST_AUDIT_HEAD } from './audit-chain.js';
import type {
  Admission,
  Admitted,
  Append,
  Appended,
  AuditDraft,
  AuditRow,
  EventDraft,
  TaskRow,
} from './journal.js';
import { KnownRows } from './known-rows.js';
import { type AuditColumns, auditRow, type TaskColumns, taskRow } from './rows.js';

export type Operation =
  | { kind: 'admit'; admission: Admission }
  | { kind: 'append'; taskId: string; append: Append }
  | { kind: 'audit'; draft: AuditDraft; again?: boolean }
  | { kind: 'trim'; endedBefore: number; reservedBefore: number }
  | { kind: 'probe' };

export interface Results {
  admit: Admitted;
  append: Appended;
  audit: AuditRow;
  trim: number;
  probe: true;
}

/** A task that does not exist was written to: a defect of ours, not a refusal. */
export class NoSuchTask extends Error {
  override name = 'NoSuchTask';
}

export class Writer {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof statements>;
  #audit: { index: number; head: Digest };
  readonly #rows = new KnownRows();

  constructor(db: Database) {
    this.#db = db;
    this.#sql = statements(db);
    this.#audit = this.#lastAudit();
  }

  /** Runs one operation inside the current transaction; on a throw nothing of it remains. */
  apply(operation: Operation): Results[Operation['kind']] {
    const audit = this.#audit;
    this.#db.exec('SAVEPOINT operation');
    try {
      const result = this.run(operation);
      this.#db.exec('RELEASE operation');
      return result;
    } catch (error) {
      this.#audit = audit;
      this.#rows.clear();
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK TO operation; RELEASE operation');
      throw error;
    }
  }

  /** After a rollback of what `run` did: what the file says is what holds. */
  reload(): void {
    this.#rows.clear();
    this.#audit = this.#lastAudit();
  }

  /** The same without a savepoint: on a throw the whole transaction must be rolled back, and `reload` called. */
  run(operation: Operation): Results[Operation['kind']] {
    switch (operation.kind) {
      case 'admit':
        return this.#admit(operation.admission);
      case 'append':
        return this.#append(operation.taskId, operation.append);
      case 'audit':
        return (
          (operation.again === true ? this.#standing(operation.draft) : undefined) ??
          this.#record(operation.draft)
        );
      case 'trim':
        return this.#trim(operation.endedBefore, operation.reservedBefore);
      case 'probe':
        return this.#probe();
    }
  }

  /** A write that commits, and one into the tables that an admission needs, which does not stay. */
  #probe(): true {
    this.#sql.byId.get('');
    const audit = this.#audit;
    this.#db.exec('SAVEPOINT probe');
    try {
      this.#sql.insertEvent.run('', 0, '', null);
      this.#record({ kind: 'start', at: 0, detail: {} });
    } finally {
      this.#audit = audit;
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK TO probe; RELEASE probe');
    }
    this.#sql.probe.run(String(audit.index));
    return true;
  }

  #admit({ task, nonce, events, audit, rejectedQuota }: Admission): Admitted {
    if (rejectedQuota !== undefined) {
      const refused = this.#reserved(task, nonce);
      if (refused !== undefined) return refused;
      if ((this.#sql.rejected.get(task.caller) as number) >= rejectedQuota) return { kind: 'quota' };
    }
    const written = after(0, firstHead(task.taskId, task.requestDigest), events);
    // UNIQUE (caller, request_id) and (caller, nonce) decide even against a second writer.
    const { changes } = this.#sql.insertTask.run({
      task_id: task.taskId,
      context_id: task.contextId,
      turn_id: task.turnId,
      caller: task.caller,
      request_id: task.requestId,
      nonce,
      request_digest: task.requestDigest,
      request: task.request,
      effective: JSON.stringify(task.effective),
      accepted_at: task.acceptedAt,
      deadline_at: task.deadlineAt,
      state: written.state,
      sequence: written.sequence,
      head: written.head,
      status_at: task.acceptedAt,
      outcome: task.outcome ?? null,
      terminal_at: task.terminalAt ?? null,
    });
    if (changes === 0) {
      const refused = this.#reserved(task, nonce);
      if (refused === undefined) throw new Error('a task id that was minted twice');
      return refused;
    }
    this.#insert(task.taskId, 0, events);
    this.#record(audit);
    return { kind: 'admitted', task: this.#rows.keep({ ...task, ...written }) };
  }

  /** What stands in the way of an admission: the request before the nonce. */
  #reserved({ caller, requestId, requestDigest }: Admission['task'], nonce: string): Admitted | undefined {
    const taken = this.#sql.byRequest.get(caller, requestId) as TaskColumns | undefined;
    if (taken === undefined)
      return this.#sql.byNonce.get(caller, nonce) === undefined ? undefined : { kind: 'nonce_reused' };
    return taken.request_digest === requestDigest
      ? { kind: 'duplicate', task: taskRow(taken) }
      : { kind: 'conflict' };
  }

  #append(taskId: string, { events, expect, set = {}, audit }: Append): Appended {
    const task = this.#row(taskId);
    if (isTerminal(task.state)) return { kind: 'terminal', task };
    if (expect !== undefined && expect !== task.sequence) return { kind: 'moved', task };
    const { sequence, head, state } = events.length === 0 ? task : after(task.sequence, task.head, events);
    this.#insert(taskId, task.sequence, events);
    this.#sql.updateTask.run({
      task_id: taskId,
      state,
      sequence,
      head,
      status_at: events.length === 0 ? null : statusTime(events),
      dispatched_at: set.dispatchedAt ?? null,
      cancel_requested_at: set.cancelRequestedAt ?? null,
      stop_cause: set.stopCause ?? null,
      process_group: set.process?.pgid ?? null,
      process_started: set.process?.startTime ?? null,
      outcome: set.outcome ?? null,
      terminal_at: set.terminalAt ?? null,
    });
    if (audit !== undefined) this.#record(audit);
    // As the statement above does: what is set first stands, but for the process.
    const changed = { ...set, ...task, sequence, head, state };
    if (set.process !== undefined) changed.process = set.process;
    return { kind: 'appended', task: this.#rows.keep(changed) };
  }

  #insert(taskId: string, from: number, events: readonly EventDraft[]): void {
    let sequence = from;
    for (const { body, meta } of events) {
      sequence += 1;
      this.#sql.insertEvent.run(taskId, sequence, body, meta ?? null);
    }
  }

  /** The row of an earlier try whose acknowledgement was lost. */
  #standing({ kind, at, peer, taskId, detail }: AuditDraft): AuditRow | undefined {
    const row = this.#sql.sameAudit.get(kind, at, peer ?? null, taskId ?? null, JSON.stringify(detail)) as
      | AuditColumns
      | undefined;
    return row && auditRow(row);
  }

  #record(draft: AuditDraft): AuditRow {
    const index = this.#audit.index + 1;
    const head = auditHead(this.#audit.head, index, draft);
    this.#sql.insertAudit.run(
      index,
      draft.kind,
      draft.at,
      draft.peer ?? null,
      draft.taskId ?? null,
      JSON.stringify(draft.detail),
      head,
    );
    this.#audit = { index, head };
    return { ...draft, index, head };
  }

  /** Drops events but the terminal one, then whole tasks whose reservation has lapsed too. */
  #trim(endedBefore: number, reservedBefore: number): number {
    this.#rows.clear();
    const ended = this.#sql.trimmable.all(endedBefore) as TaskColumns[];
    for (const task of ended) {
      const floor = task.sequence - 1;
      const head = this.#headAt(task, floor);
      this.#sql.deleteEvents.run(task.task_id, floor);
      this.#sql.setFloor.run(floor, head, task.task_id);
    }
    this.#sql.purgeEvents.run(reservedBefore);
    this.#sql.purgeTasks.run(reservedBefore);
    return ended.length;
  }

  /** head_n recomputed from the bodies: only the last head is stored, since only trimming needs another. */
  #headAt(task: TaskColumns, sequence: number): Digest {
    let head = firstHead(task.task_id, task.request_digest as Digest);
    for (const body of this.#sql.bodies.iterate(task.task_id, sequence))
      head = nextHead(head, body as string);
    return head;
  }

  #row(taskId: string): TaskRow {
    const known = this.#rows.get(taskId);
    if (known !== undefined) return known;
    const columns = this.#sql.byId.get(taskId) as TaskColumns | undefined;
    if (columns === undefined) throw new NoSuchTask(taskId);
    return taskRow(columns);
  }

  #lastAudit(): { index: number; head: Digest } {
    const last = this.#sql.lastAudit.get() as AuditColumns | undefined;
    return last === undefined
      ? { index: 0, head: FIRST_AUDIT_HEAD }
      : { index: last.position, head: last.head as Digest };
  }
}

/** Where a log stands after these events. */
function after(from: number, before: Digest, events: readonly EventDraft[]): Position {
  let at: Position = { sequence: from, head: before, state: 'TASK_STATE_SUBMITTED' };
  for (const { body, state } of events) {
    if (from !== at.sequence && isTerminal(at.state)) throw new Error('an event after the terminal one');
    at = { sequence: at.sequence + 1, head: nextHead(at.head, body), state };
  }
  return at;
}

type Position = Pick<TaskRow, 'sequence' | 'head' | 'state'>;

/** The latest status timestamp among the events, or null when only artifacts were written. */
function statusTime(events: readonly EventDraft[]): number | null {
  const last = events.findLast(({ body }) => body.startsWith('{"statusUpdate"'));
  const stamp = last === undefined ? undefined : /"timestamp":"([^"]+)"\}/.exec(last.body)?.[1];
  return stamp === undefined ? null : Date.parse(stamp);
}

function statements(db: Database) {
  const prepare = (sql: string): Statement => db.prepare(sql);
  return {
    byId: prepare('SELECT * FROM tasks WHERE task_id = ?'),
    byRequest: prepare('SELECT * FROM tasks WHERE caller = ? AND request_id = ?'),
    byNonce: prepare('SELECT 1 FROM tasks WHERE caller = ? AND nonce = ?'),
    rejected: db
      .prepare(`SELECT count(*) FROM tasks WHERE caller = ? AND state = 'TASK_STATE_REJECTED'`)
      .pluck(),
    insertTask:
      prepare(`INSERT INTO tasks (task_id, context_id, turn_id, caller, request_id, nonce, request_digest,
      request, effective, accepted_at, deadline_at, state, sequence, head, status_at, outcome, terminal_at)
      VALUES (@task_id, @context_id, @turn_id, @caller, @request_id, @nonce, @request_digest, @request, @effective,
      @accepted_at, @deadline_at, @state, @sequence, @head, @status_at, @outcome, @terminal_at)
      ON CONFLICT DO NOTHING`),
    // The first recorded cancel, stop cause and dispatch stand: later ones change nothing (section 5).
    updateTask: prepare(`UPDATE tasks SET state = @state, sequence = @sequence, head = @head,
      status_at = max(status_at, coalesce(@status_at, status_at)),
      dispatched_at = coalesce(dispatched_at, @dispatched_at),
      cancel_requested_at = coalesce(cancel_requested_at, @cancel_requested_at),
      stop_cause = coalesce(stop_cause, @stop_cause),
      process_group = coalesce(@process_group, process_group),
      process_started = coalesce(@process_started, process_started),
      outcome = coalesce(outcome, @outcome), terminal_at = coalesce(terminal_at, @terminal_at)
      WHERE task_id = @task_id`),
    insertEvent: prepare('INSERT INTO events VALUES (?, ?, ?, ?)'),
    bodies: db
      .prepare('SELECT body FROM events WHERE task_id = ? AND sequence <= ? ORDER BY sequence')
      .pluck(),
    trimmable: prepare(
      'SELECT * FROM tasks WHERE terminal_at < ? AND floor_sequence IS NULL AND sequence > 1',
    ),
    deleteEvents: prepare('DELETE FROM events WHERE task_id = ? AND sequence <= ?'),
    setFloor: prepare('UPDATE tasks SET floor_sequence = ?, floor_head = ? WHERE task_id = ?'),
    purgeEvents: prepare(
      'DELETE FROM events WHERE task_id IN (SELECT task_id FROM tasks WHERE terminal_at < ?)',
    ),
    purgeTasks: prepare('DELETE FROM tasks WHERE terminal_at < ?'),
    insertAudit: prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)'),
    // Without an index: asked for a second try only.
    sameAudit: prepare(
      'SELECT * FROM audit WHERE kind = ? AND at = ? AND peer IS ? AND task_id IS ? AND detail = ? ORDER BY position DESC LIMIT 1',
    ),
    lastAudit: prepare('SELECT * FROM audit ORDER BY position DESC LIMIT 1'),
    probe: prepare(
      `INSERT INTO meta VALUES ('probe', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    ),
  };
}
