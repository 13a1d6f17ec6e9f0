/** Runs planted defects in processes of their own, kept from one defect to the next. */
import { fileURLToPath } from 'node:url';
import type { Verdict } from '../../gate/verdict.js';
import type { Defect } from '../../harness/defects/defect.js';
import { addressOf, declaredChecks } from './planted.js';
import type { Caught } from './score.js';
import { forkWorker, type Worker } from './worker.js';

const PROGRAM = fileURLToPath(new URL('./planter.js', import.meta.url));

export interface PlantJob {
  defect: string;
  seed: number;
  /** Folder of the run's files. */
  out: string;
}

export interface Planters {
  /** Rejects when the run came to no verdict. */
  plant(job: PlantJob): Promise<Caught>;
  close(): void;
}

/** As many processes as jobs run at once; one that died is not used again. */
export function openPlanters(): Planters {
  const idle: Worker<PlantJob, Caught>[] = [];
  const all: Worker<PlantJob, Caught>[] = [];
  const start = () => {
    const planter = forkWorker<PlantJob, Caught>(PROGRAM);
    all.push(planter);
    return planter;
  };
  return {
    async plant(job) {
      const planter = idle.pop() ?? start();
      const row = await planter.ask(`the run with ${job.defect}`, job, (answer) => answer);
      idle.push(planter);
      return row;
    },
    close() {
      for (const planter of all) planter.end();
    },
  };
}

/** Caught: exactly what the defect declares failed, on each binding that it is planted on, and nothing was left open. */
export function caught(
  defect: Pick<Defect, 'id' | 'fails' | 'bindings' | 'topology'>,
  verdict: Verdict,
): Caught {
  const failed = verdict.failed_criteria
    .map(({ criterion, binding, topology }) => addressOf(criterion, binding, topology))
    .sort();
  const expected = declaredChecks(defect).sort();
  const open = verdict.totals.undetermined > 0 ? [`${verdict.totals.undetermined} checks`] : [];
  return {
    defect: defect.id,
    expected,
    failed,
    undetermined: open,
    caught: failed.join() === expected.join() && open.length === 0,
    duration_ms: verdict.duration_ms,
  };
}
