/** An AgentRunner without a process: each task does what a function says. For tests, and for measuring all but the agent. */
import { EventQueue } from '../agent/event-queue.js';
import type { AgentEvent, AgentRunner, AgentTask, TurnEnd } from '../agent/runner.js';

export interface InProcessTurn {
  task: AgentTask;
  say(event: AgentEvent): void;
  /** Resolves when the turn is told to stop. */
  readonly stopped: Promise<void>;
}

const CLEAN: TurnEnd = {
  dispatched: true,
  openCalls: false,
  violations: [],
  workspaceChanged: false,
  boundary: false,
  sideEffects: [],
  summary: '',
};

/** `script` runs once the prompt was dispatched; what it resolves with ends the turn, over a clean `end_turn`. */
export function inProcessRunner(
  script: (turn: InProcessTurn) => Promise<Partial<TurnEnd>> | Partial<TurnEnd>,
): AgentRunner & { started: number; prompted: number } {
  const runner = {
    started: 0,
    prompted: 0,
    start(task: AgentTask, hooks: Parameters<AgentRunner['start']>[1]) {
      runner.started += 1;
      const queue = new EventQueue(false);
      let stop = () => {};
      const stopped = new Promise<void>((resolve) => {
        stop = resolve;
      });
      const run = async (): Promise<TurnEnd> => {
        try {
          await hooks.started({ pgid: 2 ** 30, startTime: 'none' });
          if (!(await hooks.beforePrompt())) return { ...CLEAN, dispatched: false };
          runner.prompted += 1;
          return {
            ...CLEAN,
            stopReason: 'end_turn',
            ...(await script({ task, say: (event) => queue.push(event), stopped })),
          };
        } finally {
          queue.end();
        }
      };
      return { events: queue, end: run(), cancel: stop, kill: stop };
    },
    close: async () => {},
  };
  return runner;
}
