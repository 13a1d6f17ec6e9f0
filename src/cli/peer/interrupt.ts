/** A signal that aborts on Ctrl-C: the delegation goes on at the executor, only our watching ends. */
export function untilInterrupted(): AbortSignal {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  return abort.signal;
}
