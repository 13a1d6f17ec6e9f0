/** One run: plan, surroundings, cases, results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCanary } from '../lab/canary.js';
import { sharedInjector } from '../lab/lab.js';
import { drive } from './drive.js';
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
  const canary = await startCanary();
  try {
    const checks = await drive(planned, { options, canary });
    const injector = await sharedInjector.used();
    return {
      checks,
      components: {
        node: process.version,
        platform: `${process.platform}-${process.arch}`,
        fault_injector: injector === undefined ? 'none' : `${injector.kind} ${injector.version}`,
      },
      startedAt,
      durationMs: Math.round(performance.now() - started),
    };
  } finally {
    await canary.close();
    await sharedInjector.close();
  }
}
