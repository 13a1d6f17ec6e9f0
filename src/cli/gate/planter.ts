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
import { caught, type PlantJob } from './plant.js';
import type { Caught } from './score.js';
import { obeyParent } from './worker.js';

async function plant({ defect: id, seed, out }: PlantJob): Promise<Caught> {
  const defect = defects.find((one) => one.id === id);
  if (defect === undefined) throw new Error(`no defect ${id}`);
  mkdirSync(out, { recursive: true });
  rmSync(join(out, 'verdict.json'), { force: true });
  const { verdict } = await execute(defectFlags(defect, seed, out), () => {});
  return caught(defect, verdict);
}

obeyParent(plant);
