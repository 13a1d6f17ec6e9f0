/** Domain to A2A wire JSON, once for all A2A bindings: Tasks as objects, events spliced from the stored text. */
import type { TaskPage, TaskSnapshot } from '../../executor/service.js';
import type { StoredEvent } from '../../journal/journal.js';
import type { EventPage, EventPosition, Metadata, Task } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';

/** What is the same in every event of one task. */
export interface TaskNames {
  executor: string;
  /** As JSON. */
  turnIdText: string;
  effective: readonly string[];
  deadlineAt: number;
}

export function namesOf(executor: string, { row }: TaskSnapshot): TaskNames {
  return {
    executor,
    turnIdText: JSON.stringify(row.turnId),
    effective: row.effective,
    deadlineAt: row.deadlineAt,
  };
}

/** A Task with the position that it includes; with a page, also the events from a cursor (profile section 4). */
export function taskJson(executor: string, { snapshot, page }: TaskPage): Task {
  const { row, status, artifacts, cursor, result } = snapshot;
  const position: EventPosition = {
    turn_id: row.turnId,
    sequence: row.sequence,
    cursor,
    head: row.head,
    effective_capabilities: row.effective,
    deadline_at: new Date(row.deadlineAt).toISOString(),
  };
  const metadata: Metadata = { [KEY.event]: position };
  if (row.cancelRequestedAt !== undefined) {
    metadata[KEY.cancel] = { requested_at: new Date(row.cancelRequestedAt).toISOString() };
  }
  if (result !== undefined) metadata[KEY.result] = result;
  if (page !== undefined) metadata[KEY.events] = pageJson(namesOf(executor, snapshot), page);
  return {
    id: row.taskId,
    contextId: row.contextId,
    status,
    ...(artifacts.length === 0
      ? {}
      : { artifacts: artifacts.map((artifact) => ({ ...artifact, metadata: { [KEY.owner]: executor } })) }),
    metadata,
  };
}

function pageJson(names: TaskNames, page: NonNullable<TaskPage['page']>): EventPage {
  return {
    events: page.events.map((event) => ({
      sequence: event.sequence,
      cursor: event.cursor,
      event: JSON.parse(eventText(names, event)) as EventPage['events'][number]['event'],
    })),
    next: page.next,
    complete: page.complete,
    ...(page.floor === undefined ? {} : { floor: page.floor }),
  };
}

/**
 * The JSON text of one event: the stored canonical body with our metadata put in, so that what is sent is byte for
 * byte what the chain hashes, and its cost does not depend on parsing it again. The journal writes JCS, so the body
 * ends with the update's and the event's braces and holds no metadata of its own.
 */
export function eventText(names: TaskNames, event: StoredEvent): string {
  const { sequence, cursor, meta } = event;
  let position = `"turn_id":${names.turnIdText},"sequence":${sequence},"cursor":${JSON.stringify(cursor)}`;
  if (sequence === 1) {
    const deadline = new Date(names.deadlineAt).toISOString();
    position += `,"effective_capabilities":${JSON.stringify(names.effective)},"deadline_at":"${deadline}"`;
  }
  const more = meta === undefined ? '' : `,${meta.slice(1, -1)}`;
  const metadata = `"metadata":{"${KEY.event}":{${position}}${more}}`;
  return `${owned(event.body, names.executor).slice(0, -2)},${metadata}}}`;
}

const written = new WeakMap<readonly StoredEvent[], string[]>();

/** The texts of a batch of one task's events: whoever is given the same batch shares them. */
export function eventTexts(names: TaskNames, events: readonly StoredEvent[]): string[] {
  let texts = written.get(events);
  if (texts === undefined) {
    texts = events.map((event) => eventText(names, event));
    written.set(events, texts);
  }
  return texts;
}

/** Marks an artifact as its executor's (O-52). */
function owned(body: string, executor: string): string {
  if (!body.startsWith('{"artifactUpdate"')) return body;
  const at = body.indexOf('"artifact":{') + '"artifact":{'.length;
  return `${body.slice(0, at)}"metadata":{"${KEY.owner}":"${executor}"},${body.slice(at)}`;
}
