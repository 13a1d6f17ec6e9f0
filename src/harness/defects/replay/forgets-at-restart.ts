import type { Defect } from '../defect.js';

/** RPL-01: task ids resolve only in the process that minted them. */
export const forgetsAtRestart: Defect = {
  id: 'forgets-at-restart',
  breaks: 'a task of a former process is answered as unknown, although it was acknowledged',
  fails: ['PRF-15', 'RPL-01', 'RPL-08', 'RPL-15'],
  bindings: ['WSS'],
  executor(parts) {
    const { journal } = parts.executor;
    const started = Date.now();
    const mine = (row: { acceptedAt: number } | undefined) => row !== undefined && row.acceptedAt >= started;
    return {
      ...parts,
      service: (service) => ({
        ...service,
        get: async (caller, id, cursor) => service.get(caller, mine(journal.task(id)) ? id : 'none', cursor),
        observe: async (caller, id, signal, ok) =>
          service.observe(caller, mine(journal.task(id)) ? id : 'none', signal, ok),
        cancel: async (caller, id) => service.cancel(caller, mine(journal.task(id)) ? id : 'none'),
      }),
    };
  },
};
