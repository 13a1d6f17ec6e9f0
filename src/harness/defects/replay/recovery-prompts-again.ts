import type { DelegationRequest } from '../../../profile/model.js';
import type { Defect } from '../defect.js';
import { runAgain } from '../run-again.js';

/** RPL-15: what a crash interrupted is begun again, as if nothing of it had happened (O-144). */
export const recoveryPromptsAgain: Defect = {
  id: 'recovery-prompts-again',
  breaks: 'a restart prompts the agent again for each task that was dispatched and had not ended',
  fails: ['RPL-15'],
  bindings: ['HTTP+JSON'],
  shownAt: ['append artifact last'],
  executor(parts) {
    const { journal, runner } = parts.executor;
    let recovered = false;
    return {
      ...parts,
      executor: {
        ...parts.executor,
        journal: {
          ...journal,
          open() {
            const open = journal.open();
            if (recovered) return open;
            recovered = true;
            for (const row of open.filter(({ dispatchedAt }) => dispatchedAt !== undefined))
              void runAgain(runner, row, (JSON.parse(row.request) as DelegationRequest).task);
            return open;
          },
        },
      },
    };
  },
};
