/** Waiting with an end: nothing in the harness waits without a deadline, and nothing sleeps for a fixed time. */

/** Thrown when something did not happen in time; the message says what was awaited. */
export class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';
}

/** Settles as `promise` does, or rejects with DeadlinePassed after `ms`. The promise itself goes on. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed(`${what}: not within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Looks again whenever `wake` calls back, and every `everyMs` as a backstop, until `look` gives something other than
 * undefined or false. Rejects with DeadlinePassed after `ms`, or with what `look` throws.
 */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  options: { ms: number; what: string; everyMs?: number; wake?: (again: () => void) => () => void },
): Promise<T> {
  const end = performance.now() + options.ms;
  let again: (() => void) | undefined;
  // A wake-up that falls into the time in which we look must not be lost.
  let woken = false;
  const unsubscribe = options.wake?.(() => {
    woken = true;
    again?.();
  });
  try {
    for (;;) {
      woken = false;
      const found = await look();
      if (found !== undefined && found !== false) return found;
      const left = end - performance.now();
      if (left <= 0) throw new DeadlinePassed(`${options.what}: not within ${options.ms} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(options.everyMs ?? 50, left));
        again = () => {
          clearTimeout(timer);
          resolve();
        };
        if (woken) again();
      });
      again = undefined;
    }
  } finally {
    unsubscribe?.();
  }
}
