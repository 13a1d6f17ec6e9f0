/** A lane of the gate in a process of its own: what it is sent, and what it answers. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CheckResult } from '../../harness/check.js';
import { endWithUs } from '../../harness/lab/with-us.js';
import type { Lane, LaneEvent } from '../../harness/run/lane.js';
import type { PlannedCheck } from '../../harness/run/plan.js';
import type { RunFlags } from './run.js';

const PROGRAM = fileURLToPath(new URL('./lane-process.js', import.meta.url));
const STDERR_KEPT = 4000;

/** A check is named by its address: its process makes the same plan of the same flags. */
export type LaneOrder = { flags: RunFlags } | { check: string } | { close: true };
export type LaneAnswer =
  | { event: LaneEvent }
  | { opened: true }
  | { result: CheckResult }
  | { injector: string }
  | { error: string };

export function addressOf({ criterion, cell }: Pick<PlannedCheck, 'criterion' | 'cell'>): string {
  return `${criterion}/${cell.binding}/${cell.topology}`;
}

/** Rejects, as every call of the lane does, with the process's last words when it ends before its answer. */
export async function forkLane(flags: RunFlags): Promise<Lane> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  // It ends what it started itself.
  endWithUs(child, 'SIGTERM');
  // Told by the call that is under way; between two there is nobody to tell.
  child.on('error', () => {});
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-STDERR_KEPT);
  });
  const ask = <T>(
    order: LaneOrder,
    pick: (answer: LaneAnswer) => T | undefined,
    tell: (event: LaneEvent) => void = () => {},
  ) => answerOf(child, { order, pick, tell, words: () => words });
  await ask({ flags }, (answer) => ('opened' in answer ? answer.opened : undefined));
  return {
    run: (check, tell) =>
      ask({ check: addressOf(check) }, (answer) => ('result' in answer ? answer.result : undefined), tell),
    async close() {
      if (!child.connected) throw new Error('the lane has ended already');
      const injector = await ask({ close: true }, (answer) =>
        'injector' in answer ? answer.injector : undefined,
      );
      child.disconnect();
      return injector;
    },
  };
}

interface Question<T> {
  order: LaneOrder;
  /** What it was asked for, if the answer is that. */
  pick(answer: LaneAnswer): T | undefined;
  tell(event: LaneEvent): void;
  words(): string;
}

function answerOf<T>(child: ChildProcess, { order, pick, tell, words }: Question<T>): Promise<T> {
  const what = 'check' in order ? order.check : 'a lane';
  return new Promise((resolve, reject) => {
    const done = () => child.off('exit', ended).off('error', broke).off('message', heard);
    const fail = (why: string) => {
      done();
      reject(new Error(`${what}: ${why}: ${words()}`));
    };
    const ended = (code: number | null, signal: string | null) =>
      fail(`its process ended with ${code ?? signal}`);
    const broke = (error: Error) => fail(error.message);
    const heard = (answer: LaneAnswer) => {
      if ('event' in answer) return tell(answer.event);
      if ('error' in answer) return fail(answer.error);
      const picked = pick(answer);
      if (picked === undefined) return fail('an answer to something else');
      done();
      resolve(picked);
    };
    child.on('exit', ended).on('error', broke).on('message', heard);
    child.send(order);
  });
}
