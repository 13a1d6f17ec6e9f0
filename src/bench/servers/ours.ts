/** The reference executor as `oab-peer executor` runs it, but for the agent, which plays plans in this process. */
import type { AgentEvent, AgentRunner, AgentTask, TurnEnd, TurnHooks } from '../../executor/agent/runner.js';
import type { Journal } from '../../journal/journal.js';
import { runExecutor } from '../../peer/executor.js';
import { type Plan, play } from '../plan.js';
import { Control } from './control.js';

const END: TurnEnd = {
  stopReason: 'end_turn',
  dispatched: true,
  openCalls: false,
  violations: [],
  workspaceChanged: false,
  boundary: false,
  sideEffects: [],
  summary: '',
};

const control = new Control();

const runner: AgentRunner = {
  start({ prompt }: AgentTask, hooks: TurnHooks) {
    const plan = JSON.parse(prompt) as Plan;
    let finished = (_end: TurnEnd): void => {};
    const end = new Promise<TurnEnd>((resolve) => {
      finished = resolve;
    });
    async function* events(): AsyncGenerator<AgentEvent> {
      await hooks.started({ pgid: 2 ** 30, startTime: 'none' });
      if (await hooks.beforePrompt()) {
        const type = plan.say === 'status' ? 'status' : 'text';
        const all = { ...plan, count: (plan.before ?? 0) + plan.count };
        for await (const text of play(all, control.more)) yield { type, text };
        finished(END);
      } else finished({ ...END, dispatched: false });
    }
    return { events: events(), end, cancel() {}, kill() {} };
  },
  close: async () => {},
};

/** Tells the benchmark when a terminal event is durable. */
function watched(journal: Journal): Journal {
  return {
    ...journal,
    async append(taskId, append) {
      const appended = await journal.append(taskId, append);
      if (append.set?.terminalAt !== undefined && appended.kind === 'appended') control.taskEnded();
      return appended;
    },
  };
}

await runExecutor(process.argv[2] ?? '', (parts) => ({
  ...parts,
  executor: { ...parts.executor, runner, journal: watched(parts.executor.journal) },
}));
