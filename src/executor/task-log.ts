/**
 * One running task's way into the journal: in order, durable before the next batch, one append in flight. What
 * gathers while an append is on its way to the disk goes out together with the next one; no timer.
 */
import type { EventDraft, Journal } from '../journal/journal.js';
import { appendOnce } from './append-once.js';
import { untilDurable } from './durable.js';
import type { Clock } from './parts.js';

/** Section 5: an append that is not durable by then stops and kills the turn. */
export const APPEND_LIMIT_MS = 10_000;
const MAX_BATCH = 256;
const MAX_WAITING = 512;

export class TaskLog {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #taskId: string;
  /** The last sequence that was acknowledged here. */
  #at: number;
  readonly #lost: (error: unknown) => void;
  #waiting: EventDraft[] = [];
  #pump: Promise<void> | undefined;
  #room: (() => void)[] = [];
  #failed = false;

  /**
   * `at`: where the log stood before the first one added here. `lost` is called once when an append failed for good;
   * from then on nothing is appended here.
   */
  constructor(journal: Journal, clock: Clock, taskId: string, at: number, lost: (error: unknown) => void) {
    this.#journal = journal;
    this.#clock = clock;
    this.#taskId = taskId;
    this.#at = at;
    this.#lost = lost;
  }

  /** Queues a draft; resolves when there is room for the next one, which is the back-pressure on the agent. */
  async add(draft: EventDraft): Promise<void> {
    if (this.#failed) return;
    this.#waiting.push(draft);
    this.#pump ??= this.#run();
    if (this.#waiting.length >= MAX_WAITING) await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  /** What was added may not all be in the journal. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Resolves when everything added is durable, or given up. */
  async flushed(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  async #run(): Promise<void> {
    // One turn of the loop, so that what is added in the same tick goes out in one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !this.#failed) {
      const events = this.#waiting.splice(0, MAX_BATCH);
      try {
        const write = appendOnce(this.#journal, this.#taskId, { events }, this.#at);
        const { task } = await untilDurable(this.#clock, write, { limitMs: APPEND_LIMIT_MS });
        this.#at = task.sequence;
      } catch (error) {
        // Whatever the reason: a log with a hole in it must not grow.
        this.#failed = true;
        this.#waiting = [];
        this.#lost(error);
      } finally {
        for (const resolve of this.#room.splice(0)) resolve();
      }
    }
    this.#pump = undefined;
  }
}
