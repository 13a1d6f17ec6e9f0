/** One run: plan, surroundings, cases, results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckResult } from '../check.js';
import { drive } from './drive.js';
import { type Lane, NO_INJECTOR, openLane } from './lane.js';
import type { RunOptions, RunResult } from './options.js';
import { plan } from './plan.js';

/** Throws OverBudget before anything is started. */
export async function run(options: RunOptions): Promise<RunResult> {
  const planned = plan(options);
  const startedAt = new Date().toISOString();
  const started = performance.now();
  mkdirSync(join(options.out, 'evidence'), { recursive: true });
  const plannedCases = planned.checks.flatMap(({ cases }) => cases.map(({ id }) => id));
  writeFileSync(
    join(options.out, 'evidence', 'plan.json'),
    `${JSON.stringify({ seed: options.seed, cases: plannedCases }, null, 1)}\n`,
  );
  const { count, open } = options.lanes ?? { count: 1, open: () => openLane(options) };
  const lanes: Lane[] = [];
  const close = () => Promise.all(lanes.map((lane) => lane.close()));
  let checks: CheckResult[];
  try {
    for (let index = 0; index < count; index += 1) lanes.push(await open());
    checks = await drive(planned, lanes, options.progress);
  } catch (error) {
    // What broke first is told; a lane that is broken need not close well.
    await close().catch(() => {});
    throw error;
  }
  const injectors = await close();
  return {
    checks,
    components: {
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      fault_injector: injectors.find((injector) => injector !== NO_INJECTOR) ?? NO_INJECTOR,
    },
    startedAt,
    durationMs: Math.round(performance.now() - started),
  };
}
