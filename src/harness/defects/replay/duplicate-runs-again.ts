import type { Defect } from '../defect.js';
import { runAgain } from '../run-again.js';

/** RPL-10: a duplicate finds its task, and is executed all the same (OPEN-13). */
export const duplicateRunsAgain: Defect = {
  id: 'duplicate-runs-again',
  breaks: 'a duplicate create is answered with its task but prompts an agent again',
  fails: ['RPL-10', 'RPL-11', 'RPL-15', 'RPL-16', 'RPL-18', 'PRF-11', 'PRF-15', 'PRF-22'],
  bindings: ['OAB'],
  shownAt: ['update acceptedAt taskId turnId', 'append WORKING message'],
  executor(parts) {
    const again = new Set<string>();
    return {
      ...parts,
      service: (service) => ({
        ...service,
        async create(caller, request) {
          const created = await service.create(caller, request);
          const { row } = created.snapshot;
          if (created.duplicate && !again.has(row.taskId)) {
            // Once is enough to be seen.
            again.add(row.taskId);
            await runAgain(parts.executor.runner, row, request.task);
          }
          return created;
        },
      }),
    };
  },
};
