/** Runs a task's agent once more, beside everything that is on record. */
import type { AgentRunner } from '../../executor/agent/runner.js';
import type { TaskRow } from '../../journal/journal.js';

/** Resolves once the agent is prompted; what it does then goes nowhere, and its effects happen. */
export function runAgain(
  runner: AgentRunner,
  { taskId, turnId, effective }: Pick<TaskRow, 'taskId' | 'turnId' | 'effective'>,
  prompt: string,
): Promise<void> {
  return new Promise((resolve) => {
    const turn = runner.start(
      { taskId, turnId, prompt, effective },
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
}
