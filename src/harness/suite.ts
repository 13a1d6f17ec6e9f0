/** How a suite is written: one file per criterion (or close family) in `suites/`, exporting `suite: Suite`. */
import type { Cell } from './check.js';

/** Means that a subject may or may not give (harness contract: an absent hook is `not_exercised`). */
export type Hook =
  | 'start'
  | 'stop'
  | 'kill'
  | 'pause'
  | 'resume'
  | 'replica'
  | 'store'
  | 'settings'
  /** Every write of its store can be stopped at (docs/gate.md); the reference's alone. */
  | 'boundaries'
  | 'scripted-agent';

/** `L` is the case's laboratory, src/harness/lab/case-lab.ts. */
export interface CaseSpec<L> {
  /** Unique in its check; the case's address is `CRITERION/binding/topology/name`. */
  name: string;
  /** For the planner's budget. */
  estimateMs: number;
  /** Over it while the harness's canary is healthy: failed, `hang`. */
  deadlineMs: number;
  needs?: readonly Hook[];
  run(lab: L): Promise<void>;
}

/** `true`: not even beside each other. `but-its-own`: beside each other, since they mostly wait and allow for a late host. */
export type Alone = true | 'but-its-own';

export interface Suite<L> {
  criterion: string;
  /** It judges how long something took: its checks run while no other does, whatever the lanes. */
  alone?: Alone;
  /** Pure: the same cell gives the same cases. */
  cases(cell: Cell): CaseSpec<L>[];
}
