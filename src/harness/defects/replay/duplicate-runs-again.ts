import type { DelegationRequest } from '../../../profile/model.js';
import type { Defect } from '../defect.js';

/** RPL-10: a duplicate finds its task, and is executed all the same (OPEN-13). */
export const duplicateRunsAgain: Defect = {
  id: 'duplicate-runs-again',
  breaks: 'a duplicate create is answered with its task but prompts an agent again',
  fails: ['PRF-11', 'PRF-15', 'RPL-10', 'RPL-11', 'RPL-18'],
  bindings: ['JSONRPC'],
  executor(parts) {
    const { runner } = parts.executor;
    const again = new Set<string>();
    /** Resolves once the agent is prompted; what it does then goes nowhere, and its effects happen. */
    const runAgain = (request: DelegationRequest, taskId: string, turnId: string, effective: string[]) =>
      new Promise<void>((resolve) => {
        const turn = runner.start(
          { taskId, turnId, prompt: request.task, effective },
          {
            started: async () => {},
            beforePrompt: async () => {
              setImmediate(resolve);
              return true;
            },
          },
        );
        const drain = async () => {
          for await (const _event of turn.events) {
            // Nobody looks.
          }
        };
        drain().then(resolve, resolve);
      });
    return {
      ...parts,
      service: (service) => ({
        ...service,
        async create(caller, request) {
          const created = await service.create(caller, request);
          const { taskId, turnId, effective } = created.snapshot.row;
          if (created.duplicate && !again.has(taskId)) {
            // Once is enough to be seen.
            again.add(taskId);
            await runAgain(request, taskId, turnId, effective);
          }
          return created;
        },
      }),
    };
  },
};
