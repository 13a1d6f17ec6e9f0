/** Exactly-once creation under retry: one task per (caller, request id) while its reservation lives (profile section 3). */
import type { Report } from './finding.js';

interface Creation {
  taskId: string;
  digest: string | undefined;
  at: number;
  /** It took the place of one whose window had passed. */
  renewed: boolean;
}

export class Creations {
  readonly #report: Report;
  readonly #windowMs: number;
  readonly #byRequest = new Map<string, Creation>();
  readonly #byTask = new Map<string, string>();
  readonly #made = new Map<string, Set<string>>();

  /** `windowMs`: for how long the subject keeps a reservation at least; after that the id may serve again. */
  constructor(report: Report, windowMs: number) {
    this.#report = report;
    this.#windowMs = windowMs;
  }

  /** A create was answered with this task. `digest` is that of the request as it was sent, `at` in ms. */
  answered(caller: string, requestId: string, digest: string | undefined, taskId: string, at: number): void {
    const key = `${caller} ${requestId}`;
    const before = this.#byRequest.get(key);
    const creation = { taskId, digest, at, renewed: before !== undefined };
    if (before === undefined || at - before.at > this.#windowMs) this.#byRequest.set(key, creation);
    else if (before.taskId !== taskId)
      this.#report(
        'exactly-once',
        `${requestId} of ${caller} made two tasks, ${before.taskId} and ${taskId}`,
      );
    else if (before.digest !== undefined && digest !== undefined && before.digest !== digest)
      this.#report(
        'exactly-once',
        `another request under the id ${requestId} of ${caller} is answered with ${taskId}`,
      );
    const owner = this.#byTask.get(taskId);
    if (owner !== undefined && owner !== key)
      this.#report('exactly-once', `${taskId} is the answer to two requests, ${owner} and ${key}`);
    this.#byTask.set(taskId, key);
    this.#made.set(key, (this.#made.get(key) ?? new Set()).add(taskId));
  }

  /** How many tasks a request made, by `caller request_id`; above one only after its window. */
  made(request: string): number {
    const before = this.#byRequest.get(request);
    // Within the window a second one is a violation of its own, and no excuse for a second prompt.
    return before?.renewed === true ? (this.#made.get(request)?.size ?? 0) : 1;
  }

  /** The task of a request, if it was answered before. */
  taskOf(caller: string, requestId: string): string | undefined {
    return this.#byRequest.get(`${caller} ${requestId}`)?.taskId;
  }
}
