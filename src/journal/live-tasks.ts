/**
 * What the last acknowledgements say of the tasks that move: their rows and newest events. Their observers, and the
 * turn that wrote them, read from here what was committed a moment ago; everything older is the file's. Bounded: a
 * task that is forgotten here is read from the file.
 *
 * A task that is known here is answered as of its last acknowledgement throughout, also where events come from the
 * file: the file may be one batch ahead of it, and two reads of one task must not go back in time.
 */
import type { EventDraft, EventSlice, StoredEvent, TaskRow } from './journal.js';

interface Live {
  task: TaskRow;
  /** The newest events, without a gap up to `task.sequence`. */
  drafts: EventDraft[];
  /** The same as they are read, made when the first reader comes. */
  stored: (StoredEvent | undefined)[];
  bytes: number;
  /** The last slice that was given: those who wait together ask for the same one, and share it. */
  given: { after: number; limit: number; bytes: number; slice: EventSlice } | undefined;
}

/** Of one task. */
const MAX_EVENTS = 512;
const MAX_BYTES = 256 * 1024;
/** About what a row holds. */
const ROW_BYTES = 2048;

export class LiveTasks {
  readonly #maxBytes: number;
  readonly #cursor: (taskId: string, sequence: number) => string;
  /** In the order in which they last moved. */
  readonly #tasks = new Map<string, Live>();
  #bytes = 0;

  /** `maxBytes` of all tasks together; 0 keeps none. */
  constructor(maxBytes: number, cursor: (taskId: string, sequence: number) => string) {
    this.#maxBytes = maxBytes;
    this.#cursor = cursor;
  }

  /** These events were acknowledged, and the row after them. */
  moved(task: TaskRow, drafts: readonly EventDraft[]): void {
    const before = this.#tasks.get(task.taskId);
    const live = before ?? { task, drafts: [], stored: [], bytes: ROW_BYTES, given: undefined };
    const held = before?.bytes ?? 0;
    live.task = task;
    live.given = undefined;
    for (const draft of drafts) {
      live.drafts.push(draft);
      live.stored.push(undefined);
      live.bytes += size(draft);
    }
    shorten(live);
    this.#tasks.delete(task.taskId);
    this.#tasks.set(task.taskId, live);
    this.#bytes += live.bytes - held;
    while (this.#bytes > this.#maxBytes) this.forget(this.#tasks.keys().next().value ?? '');
  }

  /** Whatever holds of this task, the file knows. */
  forget(taskId: string): void {
    this.#bytes -= this.#tasks.get(taskId)?.bytes ?? 0;
    this.#tasks.delete(taskId);
  }

  clear(): void {
    this.#tasks.clear();
    this.#bytes = 0;
  }

  task(taskId: string): TaskRow | undefined {
    return this.#tasks.get(taskId)?.task;
  }

  /** As `Journal.read`; undefined when the file must be asked. */
  read(taskId: string, after: number, limit: number, bytes: number): EventSlice | undefined {
    const live = this.#tasks.get(taskId);
    if (live === undefined || after < live.task.sequence - live.drafts.length) return undefined;
    const { given } = live;
    if (given?.after === after && given.limit === limit && given.bytes === bytes) return given.slice;
    const slice = this.#slice(live, after, limit, bytes);
    live.given = { after, limit, bytes, slice };
    return slice;
  }

  #slice(live: Live, after: number, limit: number, bytes: number): EventSlice {
    const { task, drafts } = live;
    const events: StoredEvent[] = [];
    const first = task.sequence - drafts.length + 1;
    let used = 0;
    for (let index = Math.max(0, after + 1 - first); index < drafts.length; index += 1) {
      used += size(drafts[index] as EventDraft);
      if (events.length > 0 && (used > bytes || events.length >= limit)) break;
      events.push(this.#event(live, index, first + index));
    }
    return { task, events, atEnd: (events.at(-1)?.sequence ?? after) >= task.sequence };
  }

  #event({ task, drafts, stored }: Live, index: number, sequence: number): StoredEvent {
    const known = stored[index];
    if (known !== undefined) return known;
    const { body, meta } = drafts[index] as EventDraft;
    const cursor = this.#cursor(task.taskId, sequence);
    const event = { sequence, cursor, body, ...(meta === undefined ? {} : { meta }) };
    stored[index] = event;
    return event;
  }
}

function size({ body, meta }: EventDraft): number {
  return body.length + (meta?.length ?? 0);
}

/** Drops the oldest events, half of what may be kept at once, so that the cost of it is spread over as many. */
function shorten(live: Live): void {
  if (live.drafts.length <= MAX_EVENTS && live.bytes <= MAX_BYTES) return;
  let drop = 0;
  while (live.drafts.length - drop > MAX_EVENTS / 2 || live.bytes > MAX_BYTES / 2) {
    const draft = live.drafts[drop];
    if (draft === undefined) break;
    live.bytes -= size(draft);
    drop += 1;
  }
  live.drafts = live.drafts.slice(drop);
  live.stored = live.stored.slice(drop);
}
