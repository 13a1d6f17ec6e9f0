import type { AgentEvent, AgentTurn, TurnEnd } from '../../../executor/agent/runner.js';
import type { Defect } from '../defect.js';

/** How long the agent goes on behind its outcome. */
const LEFT_MS = 200;

const CANCELLED: TurnEnd = {
  stopReason: 'cancelled',
  dispatched: true,
  openCalls: false,
  violations: [],
  boundary: false,
  sideEffects: [{ kind: 'boundary', evidence: 'unverified' }],
  summary: '',
};

/** RPL-15: the outcome is signed while the process group still runs (section 5: only after it is gone). */
export const endsBeforeTheAgent: Defect = {
  id: 'ends-before-the-agent',
  breaks: 'a task that is stopped has its terminal event while its agent still works',
  fails: ['RPL-15', 'PRF-12', 'PRF-22'],
  bindings: ['JSONRPC'],
  shownBy: ['/agent-ignores-cancel', '/cancelled'],
  executor(parts) {
    const { runner } = parts.executor;
    return {
      ...parts,
      executor: {
        ...parts.executor,
        runner: { ...runner, start: (task, hooks) => leaving(runner.start(task, hooks)) },
      },
    };
  },
};

function leaving(turn: AgentTurn): AgentTurn {
  let leave = () => {};
  const left = new Promise<TurnEnd>((resolve) => {
    leave = () => resolve(CANCELLED);
  });
  return {
    events: untilLeft(turn.events, left),
    end: Promise.race([turn.end, left]),
    cancel() {
      leave();
      setTimeout(turn.kill, LEFT_MS);
    },
    kill: turn.kill,
  };
}

async function* untilLeft(
  events: AsyncIterable<AgentEvent>,
  left: Promise<unknown>,
): AsyncGenerator<AgentEvent> {
  const iterator = events[Symbol.asyncIterator]();
  const over = left.then(() => ({ done: true as const, value: undefined }));
  for (;;) {
    const next = await Promise.race([iterator.next(), over]);
    if (next.done === true) return;
    yield next.value;
  }
}
