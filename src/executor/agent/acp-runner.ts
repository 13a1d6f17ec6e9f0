/** The AgentRunner over ACP: a process per task, none left behind. */

import { type AcpParts, startAcpTurn } from './acp-turn.js';
import type { AgentConfig } from './config.js';
import { answerPermission } from './permissions.js';
import type { AgentRunner, AgentTurn } from './runner.js';

export function createAcpRunner(config: AgentConfig, parts: AcpParts = { answerPermission }): AgentRunner {
  const turns = new Set<AgentTurn>();
  return {
    start(task, hooks) {
      const turn = startAcpTurn(config, parts, task, hooks);
      turns.add(turn);
      const done = () => turns.delete(turn);
      turn.end.then(done, done);
      return turn;
    },
    async close() {
      const running = [...turns];
      for (const turn of running) turn.kill();
      await Promise.allSettled(running.map(({ end }) => end));
    },
  };
}
