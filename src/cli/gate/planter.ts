/**
 * The process that runs planted defects, one after the other, for `oab-gate power`: a harness that is loaded and warm
 * runs one in half the processor time of a new one. What a defect breaks is in the processes that its run starts, and
 * those are its own.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defects } from '../../harness/defects/registry.js';
import { execute } from './execute.js';
import { GATES } from './options.js';
import type { Planted, PlantJob } from './plant.js';
import { caught } from './plant.js';

/** Of each sweep: enough for most failures and for a bystander; a declared criterion that passes them is run whole. */
const POINTS = 6;
const DAY_MS = 86_400_000;

async function plant({ defect: id, seed, out }: PlantJob): Promise<Planted> {
  const defect = defects.find((one) => one.id === id);
  if (defect === undefined) throw new Error(`no defect ${id}`);
  mkdirSync(out, { recursive: true });
  rmSync(join(out, 'verdict.json'), { force: true });
  const { verdict } = await execute(
    {
      gates: [...GATES],
      bindings: [...defect.bindings],
      topologies: [defect.topology ?? 'direct'],
      seed,
      budget: DAY_MS,
      out,
      // A second failure of a criterion that has failed proves nothing more, and why it failed is known.
      failFast: true,
      shrink: 0,
      points: POINTS,
      defect: id,
      key: '',
    },
    () => {},
  );
  return { row: caught(defect, verdict) };
}

process.on('message', (job: PlantJob) => {
  plant(job).then(
    (planted) => process.send?.(planted),
    (error: Error) => process.send?.({ error: error.stack ?? error.message } satisfies Planted),
  );
});
// Whoever asked is gone: nobody waits for an answer.
process.once('disconnect', () => process.exit());
