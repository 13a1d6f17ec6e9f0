import type { TaskSnapshot } from '../../../executor/service.js';
import type { Defect } from '../defect.js';

/** RPL-20: the state is looked at, then the waiting begins; what ends in between is waited for in vain (OPEN-04). */
export const waitsForWhatWas: Defect = {
  id: 'waits-for-what-was',
  breaks: 'a subscribe that attaches while the task ends waits for an event that has been',
  fails: ['RPL-20'],
  bindings: ['OAB'],
  executor: (parts) => ({
    ...parts,
    service(service) {
      const endedSince = async (
        caller: Parameters<typeof service.get>[0],
        { row }: TaskSnapshot,
      ): Promise<boolean> => {
        // Time for the task to go on before the reader is there.
        await new Promise<void>((resolve) => setTimeout(resolve, 5));
        const now = (await service.get(caller, row.taskId)).snapshot.row;
        return now.sequence > row.sequence && now.terminalAt !== undefined;
      };
      return {
        ...service,
        async observe(caller, id, signal, terminalOk) {
          const seen = await service.observe(caller, id, signal, terminalOk);
          const lost = (await endedSince(caller, seen.snapshot)) && terminalOk !== true;
          return lost ? { ...seen, events: never(signal) } : seen;
        },
        async follow(caller, id, cursor, signal) {
          const seen = await service.follow(caller, id, cursor, signal);
          return (await endedSince(caller, seen.snapshot)) ? { ...seen, events: never(signal) } : seen;
        },
      };
    },
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
