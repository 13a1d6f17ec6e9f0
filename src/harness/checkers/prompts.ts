/** No second prompt: the agent's own ledger (docs/agent.md) against the requests that a case sent (O-64). */
import type { LedgerEntry } from '../lab/ports.js';
import type { Report } from './finding.js';

const SCRIPT = /^case: ?([\w.:/-]{1,120})$/m;

export class Prompts {
  readonly #report: Report;
  /** Script → the requests that asked for it. */
  readonly #requests = new Map<string, Set<string>>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** A create was sent, whatever became of it: it may make one task, and that one prompt. */
  sent(caller: string, requestId: string, task: string): void {
    const script = SCRIPT.exec(task)?.[1];
    if (script === undefined) return;
    const requests = this.#requests.get(script) ?? new Set();
    this.#requests.set(script, requests.add(`${caller} ${requestId}`));
  }

  /** `tasks`: how many tasks a request is known to have made; after its window an id may serve again. */
  finish(ledger: readonly LedgerEntry[], tasks: (request: string) => number): void {
    const prompts = new Map<string, number>();
    for (const { case: script, kind } of ledger)
      if (kind === 'prompt') prompts.set(script, (prompts.get(script) ?? 0) + 1);
    for (const [script, requests] of this.#requests) {
      const most = [...requests].reduce((sum, request) => sum + Math.max(1, tasks(request)), 0);
      const count = prompts.get(script) ?? 0;
      if (count > most)
        this.#report(
          'exactly-once',
          `the agent was prompted ${count} times with ${script}, which ${most} tasks were to do`,
        );
    }
  }
}
