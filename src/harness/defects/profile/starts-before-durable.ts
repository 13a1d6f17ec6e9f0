import type { AgentTurn, TurnHooks } from '../../../executor/agent/runner.js';
import type { DelegationRequest } from '../../../profile/model.js';
import type { Defect } from '../defect.js';

/** PRF-15: the agent's start-up is hidden behind the commit, so that it runs for a task that may never be one (O-141). */
export const startsBeforeDurable: Defect = {
  id: 'starts-before-durable',
  breaks: 'the agent is started while its task is still on the way to the disk',
  fails: ['PRF-15'],
  bindings: ['JSONRPC'],
  executor(parts) {
    const { journal, runner } = parts.executor;
    const early = new Map<string, { turn: AgentTurn; goOn(hooks: TurnHooks): void; undo(): void }>();
    const underWay = new Set<string>();

    const begin = (taskId: string, turnId: string, request: string, effective: string[]) => {
      let goOn = (_hooks: TurnHooks) => {};
      const hooks = new Promise<TurnHooks>((resolve) => {
        goOn = resolve;
      });
      const { task } = JSON.parse(request) as DelegationRequest;
      const turn = runner.start(
        { taskId, turnId, prompt: task, effective },
        {
          started: async (process) => (await hooks).started(process),
          beforePrompt: async () => (await hooks).beforePrompt(),
        },
      );
      const undo = () => {
        early.delete(taskId);
        goOn({ started: async () => {}, beforePrompt: async () => false });
        turn.end.catch(() => {});
      };
      early.set(taskId, { turn, goOn, undo });
    };

    return {
      ...parts,
      executor: {
        ...parts.executor,
        runner: {
          ...runner,
          start(task, hooks) {
            const begun = early.get(task.taskId);
            if (begun === undefined) return runner.start(task, hooks);
            early.delete(task.taskId);
            begun.goOn(hooks);
            return begun.turn;
          },
        },
        journal: {
          ...journal,
          async admit(admission) {
            const { taskId, turnId, caller, requestId, request, effective, outcome } = admission.task;
            const key = `${caller} ${requestId}`;
            const known = () =>
              journal.reserved(caller, requestId, admission.task.requestDigest, admission.nonce) !==
              undefined;
            // One start for one request: of its duplicates it knows.
            if (outcome !== undefined || underWay.has(key) || known()) return journal.admit(admission);
            underWay.add(key);
            begin(taskId, turnId, request, effective);
            try {
              const admitted = await journal.admit(admission);
              if (admitted.kind !== 'admitted') early.get(taskId)?.undo();
              return admitted;
            } catch (error) {
              early.get(taskId)?.undo();
              throw error;
            } finally {
              underWay.delete(key);
            }
          },
        },
      },
    };
  },
};
