/** A process of the gate's own that is asked one thing after the other: a lane, or a planter. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftovers } from '../../harness/lab/process-tree.js';
import { endWithUs, removeWithUs } from '../../harness/lab/with-us.js';

const STDERR_KEPT = 4000;

type Answered<Answer> = Answer | { error: string };

export interface Worker<Order, Answer> {
  /**
   * Resolves with the first that `hear` makes of its answers. Rejects, with `what` it was asked and its last words, when
   * it answers an error, or ends before: then once nothing runs any more that it had started.
   */
  ask<T>(what: string, order: Order, hear: (answer: Answer) => T | undefined): Promise<T>;
  /** Lets it end. */
  end(): void;
}

export function forkWorker<Order extends object, Answer extends object>(
  program: string,
): Worker<Order, Answer> {
  // All that it makes is made in here, and all that it starts names its place.
  const folder = mkdtempSync(join(tmpdir(), 'oab-worker-'));
  const removed = removeWithUs(folder);
  const child = fork(program, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, TMPDIR: folder },
  });
  // It ends what it started itself, unless it is killed.
  endWithUs(child, 'SIGTERM');
  const gone = once(child, 'exit')
    .then(() => endLeftovers([], folder))
    .catch(() => undefined)
    .then(() => {
      rmSync(folder, { recursive: true, force: true });
      removed();
    });
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
          void gone.then(() => fail(`its process ended with ${code ?? signal}`));
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
