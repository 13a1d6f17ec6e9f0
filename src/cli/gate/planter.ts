/**
 * The process that runs planted defects, one after the other, for `oab-gate power`: a harness that is loaded and warm
 * runs one in half the processor time of a new one. What a defect breaks is in the processes that its run starts, and
 * those are its own.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defects } from '../../harness/defects/registry.js';
import { defectFlags } from './defect-flags.js';
import { execute } from './execute.js';
import type { Planted, PlantJob } from './plant.js';
import { caught } from './plant.js';

async function plant({ defect: id, seed, out }: PlantJob): Promise<Planted> {
  const defect = defects.find((one) => one.id === id);
  if (defect === undefined) throw new Error(`no defect ${id}`);
  mkdirSync(out, { recursive: true });
  rmSync(join(out, 'verdict.json'), { force: true });
  const { verdict } = await execute(defectFlags(defect, seed, out), () => {});
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
