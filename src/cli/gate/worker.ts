/** A process of the gate's own that is asked one thing after the other: a lane, or a planter. */
import { fork } from 'node:child_process';
import { endWithUs } from '../../harness/lab/with-us.js';

const STDERR_KEPT = 4000;

type Answered<Answer> = Answer | { error: string };

export interface Worker<Order, Answer> {
  /**
   * Resolves with the first that `hear` makes of its answers. Rejects, with `what` it was asked and its last words, when
   * it answers an error or ends before.
   */
  ask<T>(what: string, order: Order, hear: (answer: Answer) => T | undefined): Promise<T>;
  /** Lets it end. */
  end(): void;
}

export function forkWorker<Order extends object, Answer extends object>(
  program: string,
): Worker<Order, Answer> {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  // It ends what it started itself.
  endWithUs(child, 'SIGTERM');
  // Told by the question that is open; between two there is nobody to tell.
  child.on('error', () => {});
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-STDERR_KEPT);
  });
  return {
    ask: (what, order, hear) =>
      new Promise((resolve, reject) => {
        const done = () => child.off('exit', ended).off('error', broke).off('message', heard);
        const fail = (why: string) => {
          done();
          reject(new Error(`${what}: ${why}: ${words}`));
        };
        const ended = (code: number | null, signal: string | null) =>
          fail(`its process ended with ${code ?? signal}`);
        const broke = (error: Error) => fail(error.message);
        const heard = (answer: Answered<Answer>) => {
          if ('error' in answer) return fail(answer.error);
          const result = hear(answer);
          if (result === undefined) return;
          done();
          resolve(result);
        };
        if (!child.connected) return fail('its process has ended already');
        child.on('exit', ended).on('error', broke).on('message', heard);
        child.send(order);
      }),
    end() {
      if (child.connected) child.disconnect();
    },
  };
}

/** The other side, in the process itself. `tell` may be called while an order is obeyed. */
export function obeyParent<Order, Answer>(
  obey: (order: Order, tell: (answer: Answer) => void) => Promise<Answer>,
): void {
  const tell = (answer: Answered<Answer>) => void process.send?.(answer);
  process.on('message', (order: Order) => {
    obey(order, tell).then(tell, (error: Error) => tell({ error: error.stack ?? error.message }));
  });
  // Whoever asked is gone: nobody waits for an answer.
  process.once('disconnect', () => process.exit());
}
