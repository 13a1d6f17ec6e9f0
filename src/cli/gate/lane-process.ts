/** The process of a lane: it makes its own plan of the run's flags and runs the checks of it that it is told to. */
import { type Lane, openLane } from '../../harness/run/lane.js';
import { type PlannedCheck, plan } from '../../harness/run/plan.js';
import { addressOf, type LaneAnswer, type LaneOrder } from './lane.js';
import type { RunFlags } from './run.js';
import { runOptions } from './run-options.js';
import { obeyParent } from './worker.js';

let lane: Lane | undefined;
let checks = new Map<string, PlannedCheck>();

async function open(flags: RunFlags): Promise<void> {
  const options = runOptions(flags);
  // The whole plan's budget was looked at before.
  const planned = plan({ ...options, budgetMs: Number.POSITIVE_INFINITY });
  checks = new Map(planned.checks.map((check) => [addressOf(check), check]));
  lane = await openLane(options);
}

obeyParent<LaneOrder, LaneAnswer>(async (order, tell) => {
  if ('flags' in order) {
    await open(order.flags);
    return { opened: true };
  }
  if (lane === undefined) throw new Error('the lane is not open');
  if ('close' in order) return { injector: await lane.close() };
  const check = checks.get(order.check);
  if (check === undefined) throw new Error('no such check in its plan');
  return { result: await lane.run(check, (event) => tell({ event })) };
});
