import type { Defect } from '../defect.js';

/** RPL-20: the state is looked at, then the waiting begins; what ends in between is waited for in vain (OPEN-04). */
export const waitsForWhatWas: Defect = {
  id: 'waits-for-what-was',
  breaks: 'a subscribe that attaches while the task ends waits for an event that has been',
  fails: ['RPL-20'],
  bindings: ['JSONRPC'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async observe(caller, id, signal, terminalOk) {
        const seen = await service.observe(caller, id, signal, terminalOk);
        const before = seen.snapshot.row.sequence;
        // Time for the task to go on before the reader is there.
        await new Promise<void>((resolve) => setTimeout(resolve, 5));
        const { snapshot } = await service.get(caller, id);
        const lost =
          snapshot.row.sequence > before && snapshot.row.terminalAt !== undefined && terminalOk !== true;
        return lost ? { ...seen, events: never(signal) } : seen;
      },
    }),
  }),
};

function never(signal: AbortSignal): AsyncIterable<never> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ done: true, value: undefined }));
        }),
    }),
  };
}
