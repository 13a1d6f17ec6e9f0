/**
 * The rows of the tasks that were written last, as the file has them after the writer's last step: the sole writer need
 * not read back what it wrote. Bounded; a row that is not here is read from the file. Whatever is rolled back, or changed
 * by other statements than one task's, clears it.
 */
import type { TaskRow } from './journal.js';

const MOST_ROWS = 4096;

export class KnownRows {
  readonly #most: number;
  /** In the order in which they were written. */
  readonly #rows = new Map<string, TaskRow>();

  constructor(most = MOST_ROWS) {
    this.#most = most;
  }

  get(taskId: string): TaskRow | undefined {
    return this.#rows.get(taskId);
  }

  /** The row itself, for whoever answers with it. */
  keep(row: TaskRow): TaskRow {
    this.#rows.delete(row.taskId);
    this.#rows.set(row.taskId, row);
    if (this.#rows.size > this.#most) this.#rows.delete(this.#rows.keys().next().value ?? '');
    return row;
  }

  clear(): void {
    this.#rows.clear();
  }
}
