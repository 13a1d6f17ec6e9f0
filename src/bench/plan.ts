/**
 * What the agent of the benchmark does, written into the delegated text: both servers play the same plan, so that
 * neither side's agent is faster than the other's.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

export interface Plan {
  say: 'status' | 'chunk';
  /**
   * What is there before the timed ones: our agent says it like the rest; the stock agent's first Task has it merged
   * in, since to say it would take that server minutes.
   */
  before?: number;
  count: number;
  /** Length of each text. */
  bytes: number;
  /** After `count` the agent waits under this name for `go` (server.ts); 0 more ends it. */
  held?: string;
}

/** What a real agent sends between two turns of its reader's loop: a burst, never everything at once. */
const BURST = 32;

export const planText = (plan: Plan): string => JSON.stringify(plan);

/** The texts of a plan one by one; `more` is asked when a held agent has said what it was told to. */
export async function* play(
  plan: Plan,
  more: (held: string) => Promise<number>,
): AsyncGenerator<string, void, undefined> {
  const text = 'x'.repeat(plan.bytes);
  for (let left = plan.count; ; ) {
    for (let said = 1; said <= left; said += 1) {
      yield text;
      if (said % BURST === 0) await turnOfTheLoop();
    }
    if (plan.held === undefined) return;
    left = await more(plan.held);
    if (left === 0) return;
  }
}
