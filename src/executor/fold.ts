/** A task's state as its events leave it; folded incrementally, so that reading a long log twice costs once. */
import type { Journal, StoredEvent, TaskRow } from '../journal/journal.js';
import { foldArtifact } from '../profile/artifacts.js';
import type { Artifact, EventBody, ResultEnvelope, TaskStatus } from '../profile/model.js';
import { KEY } from '../profile/names.js';
import type { TaskSnapshot } from './service.js';

interface Folded {
  sequence: number;
  status: TaskStatus;
  artifacts: Map<string, Artifact>;
  result?: ResultEnvelope;
}

/** How many tasks' folds are kept; each is bounded by maxOutputBytes. */
const KEPT = 32;
const PAGE = 1000;

export class Folds {
  readonly #journal: Journal;
  readonly #kept = new Map<string, Folded>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The task after its last event, or undefined when there is none of that id. */
  snapshot(taskId: string): TaskSnapshot | undefined {
    const kept = this.#kept.get(taskId);
    const folded: Folded = kept ?? {
      sequence: 0,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: '' },
      artifacts: new Map(),
    };
    let row: TaskRow;
    for (;;) {
      const slice = this.#journal.read(taskId, folded.sequence, PAGE);
      if (slice === undefined) {
        this.#kept.delete(taskId);
        return undefined;
      }
      for (const event of slice.events) fold(folded, event);
      row = slice.task;
      if (slice.atEnd || slice.events.length === 0) break;
    }
    this.#kept.delete(taskId);
    this.#kept.set(taskId, folded);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return {
      row,
      status: folded.status,
      // Copies: the fold goes on while an answer is being written.
      artifacts: [...folded.artifacts.values()].map((artifact) => ({
        ...artifact,
        parts: [...artifact.parts],
      })),
      cursor: this.#journal.cursor(taskId, row.sequence),
      ...(folded.result === undefined ? {} : { result: folded.result }),
    };
  }
}

function fold(folded: Folded, event: StoredEvent): void {
  const body = JSON.parse(event.body) as EventBody;
  if ('statusUpdate' in body) folded.status = body.statusUpdate.status;
  else foldArtifact(folded.artifacts, body.artifactUpdate);
  if (event.meta?.includes(KEY.result) === true) {
    folded.result = (JSON.parse(event.meta) as Record<string, ResultEnvelope>)[KEY.result] as ResultEnvelope;
  }
  folded.sequence = event.sequence;
}
