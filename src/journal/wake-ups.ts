/** Who waits for which task to move on; costs one entry per waiter and nothing per reader that does not wait. */

interface Waiter {
  after: number;
  resolve(): void;
}

export class WakeUps {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** Resolves when `publish` passes `after`, or when the signal aborts; leaves nothing behind either way. */
  wait(taskId: string, after: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(taskId) ?? new Set();
      this.#waiting.set(taskId, waiters);
      const done = () => {
        waiters.delete(waiter);
        if (waiters.size === 0) this.#waiting.delete(taskId);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter: Waiter = { after, resolve: done };
      waiters.add(waiter);
      signal.addEventListener('abort', done);
    });
  }

  publish(taskId: string, sequence: number): void {
    for (const waiter of this.#waiting.get(taskId) ?? []) if (waiter.after < sequence) waiter.resolve();
  }

  get size(): number {
    let count = 0;
    for (const waiters of this.#waiting.values()) count += waiters.size;
    return count;
  }
}
