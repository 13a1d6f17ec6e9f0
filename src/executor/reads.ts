/** What a caller may see of its own tasks: snapshots, pages from a cursor, live observation (profile section 4). */

import type { Journal, StoredEvent, TaskRow } from '../journal/journal.js';
import { BadPageToken } from '../journal/reader.js';
import { outputBytes } from '../profile/artifacts.js';
import { ProfileError } from '../profile/errors.js';
import { isTerminal } from '../profile/lifecycle.js';
import type { Folds } from './fold.js';
import type { Caller, Following, Observation, TaskListQuery, TaskPage, TaskSnapshot } from './service.js';

/** A page holds as many bytes as the Task beside it, and at least this many. */
const LEAST_PAGE_BYTES = 256 * 1024;
const MAX_PAGE_EVENTS = 10_000;
/** At most what a binding puts round a body: position, owner, its place in the page. */
const WIRE_BYTES = 450;
/** The least that `maxFrameBytes` may be, less what stands round the tasks of a list. */
const LIST_BYTES = 3 * 1024 * 1024;
/** What a Task is beyond its artifacts (section 4), and so what one of a list may add. */
const REST_BYTES = 4096;
const BATCH_EVENTS = 256;
/** With its text and the frames of it, a reader that stops holds a few times as much. */
const BATCH_BYTES = 64 * 1024;

/** The task, if it is this caller's: an unknown and a foreign one are one answer (section 4). */
export function own(journal: Journal, caller: Caller, taskId: string): TaskRow {
  const row = journal.task(taskId);
  if (row === undefined || row.caller !== caller.peer) throw new ProfileError('TASK_NOT_FOUND');
  return row;
}

export function snapshotOf(folds: Folds, taskId: string): TaskSnapshot {
  const snapshot = folds.snapshot(taskId);
  if (snapshot === undefined) throw new ProfileError('TASK_NOT_FOUND');
  return snapshot;
}

export function getTask(
  journal: Journal,
  folds: Folds,
  caller: Caller,
  taskId: string,
  cursor?: string,
): TaskPage {
  own(journal, caller, taskId);
  const snapshot = snapshotOf(folds, taskId);
  if (cursor === undefined) return { snapshot };
  const after = positionOf(journal, snapshot, cursor);
  const bytes = Math.max(LEAST_PAGE_BYTES, artifactBytes(snapshot));
  // One turn of the event loop: nothing is committed to this reader between the snapshot and the page.
  const slice = journal.read(taskId, after, MAX_PAGE_EVENTS, bytes);
  if (slice === undefined) throw new ProfileError('TASK_NOT_FOUND');
  const events = within(
    bytes,
    slice.events.filter(({ sequence }) => sequence <= snapshot.row.sequence),
  );
  const last = events.at(-1);
  const { floor } = slice.task;
  const trimmed = floor !== undefined && after < floor.sequence;
  return {
    snapshot,
    page: {
      events,
      next: last === undefined || last.sequence >= snapshot.row.sequence ? '' : last.cursor,
      complete: !trimmed,
      ...(trimmed ? { floor } : {}),
    },
  };
}

/** A cursor that this task issued, not ahead of its log: anything else is one answer (section 4). */
function positionOf(journal: Journal, { row }: TaskSnapshot, cursor: string): number {
  const after = journal.position(row.taskId, cursor);
  if (after === undefined || after > row.sequence) throw new ProfileError('CURSOR_INVALID');
  return after;
}

function artifactBytes({ artifacts }: TaskSnapshot): number {
  return artifacts.reduce((sum, { parts }) => sum + outputBytes(parts), 0);
}

/** The first events that fit, as the wire counts them; at least one. */
function within(bytes: number, events: readonly StoredEvent[]): StoredEvent[] {
  let used = 0;
  const end = events.findIndex(({ body, meta = '' }, index) => {
    used += Buffer.byteLength(body) + Buffer.byteLength(meta) + WIRE_BYTES;
    return index > 0 && used > bytes;
  });
  return end === -1 ? [...events] : events.slice(0, end);
}

export function listTasks(journal: Journal, folds: Folds, caller: Caller, query: TaskListQuery) {
  const page = (limit: number) =>
    journal.list({
      caller: caller.peer,
      limit,
      ...(query.state === undefined ? {} : { state: query.state }),
      ...(query.contextId === undefined ? {} : { contextId: query.contextId }),
      ...(query.since === undefined ? {} : { since: query.since }),
      ...(query.after === undefined ? {} : { after: query.after }),
    });
  try {
    const { tasks, next, total } = page(query.limit);
    const snapshots: TaskSnapshot[] = [];
    let used = 0;
    for (const row of tasks) {
      const snapshot = query.withArtifacts ? snapshotOf(folds, row.taskId) : folds.brief(row);
      if (snapshot === undefined) continue;
      used += artifactBytes(snapshot) + REST_BYTES;
      // A page may be shorter than asked for (A2A 3.1.4), and must be where it would not fit a frame.
      if (used > LIST_BYTES && snapshots.length > 0) {
        return { tasks: snapshots, next: page(snapshots.length).next, total };
      }
      snapshots.push(snapshot);
    }
    return { tasks: snapshots, next, total };
  } catch (error) {
    if (error instanceof BadPageToken) throw new ProfileError('MALFORMED', 'pageToken');
    throw error;
  }
}

export function observeTask(
  journal: Journal,
  folds: Folds,
  caller: Caller,
  taskId: string,
  signal: AbortSignal,
  terminalOk: boolean,
): Observation {
  const row = own(journal, caller, taskId);
  if (isTerminal(row.state) && !terminalOk) throw new ProfileError('UNSUPPORTED_OPERATION');
  const snapshot = snapshotOf(folds, taskId);
  // Read again: it may have ended between the two reads, and D-9 leaves the core rule as it is.
  if (isTerminal(snapshot.row.state) && !terminalOk) throw new ProfileError('UNSUPPORTED_OPERATION');
  return { snapshot, events: tail(journal, taskId, snapshot.row.sequence, signal) };
}

export function followTask(
  journal: Journal,
  folds: Folds,
  caller: Caller,
  taskId: string,
  cursor: string,
  signal: AbortSignal,
): Following {
  const { floor } = own(journal, caller, taskId);
  const snapshot = snapshotOf(folds, taskId);
  const after = positionOf(journal, snapshot, cursor);
  const trimmed = floor !== undefined && after < floor.sequence ? floor : undefined;
  const from = trimmed?.sequence ?? after;
  return {
    snapshot,
    after: from,
    ...(trimmed === undefined ? {} : { floor: trimmed }),
    events: tail(journal, taskId, from, signal),
  };
}

/** Everything after `from`, read when it is pulled: a slow reader costs nothing but its own time. */
async function* tail(
  journal: Journal,
  taskId: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  let at = from;
  while (!signal.aborted) {
    const slice = journal.read(taskId, at, BATCH_EVENTS, BATCH_BYTES);
    if (slice === undefined) return;
    // What this reader has not seen is trimmed: a stream that went on would hide it, a cursor shows it (D-12).
    if (at < (slice.task.floor?.sequence ?? 0)) return;
    const last = slice.events.at(-1);
    if (last !== undefined) {
      yield slice.events;
      at = last.sequence;
    }
    if (at >= slice.task.sequence) {
      if (isTerminal(slice.task.state)) return;
      await journal.wake(taskId, at, signal);
    }
  }
}
