/** A task's state as its events leave it; folded incrementally, so that reading a long log twice costs once. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Journal, StoredEvent, TaskRow } from '../journal/journal.js';
import { foldArtifact } from '../profile/artifacts.js';
import { isTerminal } from '../profile/lifecycle.js';
import type { Artifact, EventBody, ResultEnvelope, TaskStatus } from '../profile/model.js';
import { KEY } from '../profile/names.js';
import type { TaskSnapshot } from './service.js';

interface Folded {
  sequence: number;
  status: TaskStatus;
  artifacts: Map<string, Artifact>;
  result?: ResultEnvelope;
}

const PAGE = 1000;

export class Folds {
  readonly #journal: Journal;
  readonly #capacity: number;
  readonly #kept = new Map<string, Folded>();

  /** `capacity`: how many tasks' folds are kept; each is bounded by maxOutputBytes. */
  constructor(journal: Journal, capacity = 32) {
    this.#journal = journal;
    this.#capacity = capacity;
  }

  /** Folds what is missing in steps, so that a long log holds nobody else up; a snapshot after it is cheap. */
  async prepare(taskId: string): Promise<void> {
    const folded = this.#kept.get(taskId) ?? fresh();
    for (;;) {
      const row = this.#step(taskId, folded);
      if (row === undefined || folded.sequence >= row.sequence) break;
      await turnOfTheLoop();
    }
    this.#keep(taskId, folded);
  }

  /** The task after its last event, or undefined when there is none of that id. */
  snapshot(taskId: string): TaskSnapshot | undefined {
    const folded = this.#kept.get(taskId) ?? fresh();
    let row: TaskRow | undefined;
    do {
      row = this.#step(taskId, folded);
      if (row === undefined) {
        this.#kept.delete(taskId);
        return undefined;
      }
    } while (folded.sequence < row.sequence);
    this.#keep(taskId, folded);
    // Copies: the fold goes on while an answer is being written.
    const artifacts = [...folded.artifacts.values()].map((artifact) => ({
      ...artifact,
      parts: [...artifact.parts],
    }));
    return this.#shown(row, folded, artifacts);
  }

  /** The same without artifacts; of an ended task only the last event is read. */
  brief(row: TaskRow): TaskSnapshot | undefined {
    if (!isTerminal(row.state)) return this.snapshot(row.taskId);
    const slice = this.#journal.read(row.taskId, row.sequence - 1, 1);
    if (slice === undefined) return undefined;
    const folded = fresh();
    for (const event of slice.events) fold(folded, event);
    return this.#shown(slice.task, folded, []);
  }

  #shown(row: TaskRow, folded: Folded, artifacts: Artifact[]): TaskSnapshot {
    return {
      row,
      status: folded.status,
      artifacts,
      cursor: this.#journal.cursor(row.taskId, row.sequence),
      ...(folded.result === undefined ? {} : { result: folded.result }),
    };
  }

  /** Folds the next page; the row as it was then, or undefined when the task is gone. */
  #step(taskId: string, folded: Folded): TaskRow | undefined {
    const slice = this.#journal.read(taskId, folded.sequence, PAGE);
    if (slice === undefined) return undefined;
    // What was trimmed before it was folded is gone: half an artifact would be a silent gap (D-12).
    if ((slice.task.floor?.sequence ?? 0) > folded.sequence) folded.artifacts.clear();
    // Each status replaces the one before it: of a page only the last one counts.
    const status = slice.events.findLast(isStatus);
    for (const event of slice.events) if (event === status || !isStatus(event)) fold(folded, event);
    folded.sequence = slice.events.at(-1)?.sequence ?? folded.sequence;
    return slice.task;
  }

  #keep(taskId: string, folded: Folded): void {
    this.#kept.delete(taskId);
    this.#kept.set(taskId, folded);
    if (this.#kept.size > this.#capacity) this.#kept.delete(this.#kept.keys().next().value ?? '');
  }
}

function fresh(): Folded {
  return {
    sequence: 0,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: '' },
    artifacts: new Map(),
  };
}

function isStatus({ body }: StoredEvent): boolean {
  return body.startsWith('{"statusUpdate"');
}

function fold(folded: Folded, event: StoredEvent): void {
  const body = JSON.parse(event.body) as EventBody;
  if ('statusUpdate' in body) folded.status = body.statusUpdate.status;
  else foldArtifact(folded.artifacts, body.artifactUpdate);
  if (event.meta?.includes(KEY.result) === true) {
    folded.result = (JSON.parse(event.meta) as Record<string, ResultEnvelope>)[KEY.result] as ResultEnvelope;
  }
}
