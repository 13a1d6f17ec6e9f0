/** Runs planted defects in processes of their own, kept from one defect to the next. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Verdict } from '../../gate/verdict.js';
import type { Defect } from '../../harness/defects/defect.js';
import { endWithUs } from '../../harness/lab/with-us.js';
import type { Caught } from './score.js';

const PROGRAM = fileURLToPath(new URL('./planter.js', import.meta.url));
const STDERR_KEPT = 4000;

export interface PlantJob {
  defect: string;
  seed: number;
  /** Folder of the run's files. */
  out: string;
}

/** What a planter answers. */
export type Planted = { row: Caught } | { error: string };

export interface Planters {
  /** Rejects when the run came to no verdict. */
  plant(job: PlantJob): Promise<Caught>;
  close(): void;
}

/** As many processes as jobs run at once; one that died is not used again. */
export function openPlanters(): Planters {
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();
  const last = new WeakMap<ChildProcess, string>();
  const start = (): ChildProcess => {
    const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    // It ends what it started itself.
    endWithUs(child, 'SIGTERM');
    all.add(child);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      last.set(child, ((last.get(child) ?? '') + text).slice(-STDERR_KEPT));
    });
    return child;
  };
  return {
    plant: (job) =>
      new Promise((resolve, reject) => {
        const child = idle.pop() ?? start();
        const fail = (why: string) =>
          reject(new Error(`the run with ${job.defect} ${why}: ${last.get(child) ?? ''}`));
        const died = (code: number | null, signal: string | null) =>
          fail(`ended with ${code ?? signal} and without a verdict`);
        child.once('exit', died);
        const broke = (error: Error) => fail(error.message);
        child.once('error', broke);
        child.once('message', (planted: Planted) => {
          child.off('exit', died).off('error', broke);
          if ('error' in planted) return fail(`came to no verdict (${planted.error})`);
          idle.push(child);
          resolve(planted.row);
        });
        child.send(job);
      }),
    close() {
      for (const child of all) if (child.connected) child.disconnect();
    },
  };
}

/** Caught: exactly what the defect declares failed, and nothing was left open. */
export function caught({ id, fails }: Pick<Defect, 'id' | 'fails'>, verdict: Verdict): Caught {
  const failed = [...new Set(verdict.failed_criteria.map(({ criterion }) => criterion))].sort();
  const expected = [...fails].sort();
  const open = verdict.totals.undetermined > 0 ? [`${verdict.totals.undetermined} checks`] : [];
  return {
    defect: id,
    expected,
    failed,
    undetermined: open,
    caught: failed.join() === expected.join() && open.length === 0,
    duration_ms: verdict.duration_ms,
  };
}
