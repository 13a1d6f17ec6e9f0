/** The process of a lane: it makes its own plan of the run's flags and runs the checks of it that it is told to. */
import { type Lane, openLane } from '../../harness/run/lane.js';
import { type PlannedCheck, plan } from '../../harness/run/plan.js';
import { addressOf, type LaneAnswer, type LaneOrder } from './lane.js';
import type { RunFlags } from './run.js';
import { runOptions } from './run-options.js';

let lane: Lane | undefined;
let checks = new Map<string, PlannedCheck>();

function answer(message: LaneAnswer): void {
  process.send?.(message);
}

async function open(flags: RunFlags): Promise<void> {
  const options = runOptions(flags);
  // The whole plan's budget was looked at before.
  const planned = plan({ ...options, budgetMs: Number.POSITIVE_INFINITY });
  checks = new Map(planned.checks.map((check) => [addressOf(check), check]));
  lane = await openLane(options);
  answer({ opened: true });
}

async function obey(order: LaneOrder): Promise<void> {
  if ('flags' in order) return open(order.flags);
  if (lane === undefined) throw new Error('the lane is not open');
  if ('close' in order) return answer({ injector: await lane.close() });
  const check = checks.get(order.check);
  if (check === undefined) throw new Error('no such check in its plan');
  answer({ result: await lane.run(check, (event) => answer({ event })) });
}

process.on('message', (order: LaneOrder) => {
  obey(order).catch((error: Error) => answer({ error: error.stack ?? error.message }));
});
// Whoever asked is gone: nobody waits for an answer.
process.once('disconnect', () => process.exit());
