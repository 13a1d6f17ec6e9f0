/** A lane of the gate in a process of its own: what it is sent, and what it answers. */
import { fileURLToPath } from 'node:url';
import type { CheckResult } from '../../harness/check.js';
import type { Lane, LaneEvent } from '../../harness/run/lane.js';
import type { PlannedCheck } from '../../harness/run/plan.js';
import type { RunFlags } from './run.js';
import { forkWorker } from './worker.js';

const PROGRAM = fileURLToPath(new URL('./lane-process.js', import.meta.url));

/** A check is named by its address: its process makes the same plan of the same flags. */
export type LaneOrder = { flags: RunFlags } | { check: string } | { close: true };
export type LaneAnswer =
  | { event: LaneEvent }
  | { opened: true }
  | { result: CheckResult }
  | { injector: string };

export function addressOf({ criterion, cell }: Pick<PlannedCheck, 'criterion' | 'cell'>): string {
  return `${criterion}/${cell.binding}/${cell.topology}`;
}

/** Rejects, as every call of the lane does, when the process ends before its answer. */
export async function forkLane(flags: RunFlags): Promise<Lane> {
  const worker = forkWorker<LaneOrder, LaneAnswer>(PROGRAM);
  await worker.ask('a lane', { flags }, (answer) => ('opened' in answer ? true : undefined));
  return {
    run(check, tell) {
      const address = addressOf(check);
      return worker.ask(address, { check: address }, (answer) => {
        if ('event' in answer) tell(answer.event);
        return 'result' in answer ? answer.result : undefined;
      });
    },
    async close() {
      const injector = await worker.ask('a lane', { close: true }, (answer) =>
        'injector' in answer ? answer.injector : undefined,
      );
      worker.end();
      return injector;
    },
  };
}
