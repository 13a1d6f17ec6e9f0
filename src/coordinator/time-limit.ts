/**
 * A signal that aborts with another one, or after a time. Not AbortSignal.any over AbortSignal.timeout: on Node.js 20
 * nothing holds the timeout there, the garbage collector takes it, and it never comes.
 */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** To be called when what is limited has ended. */
  end(): void;
}

export function timeLimit(ms: number, signal: AbortSignal): TimeLimit {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, ms);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return {
    signal: limit.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
