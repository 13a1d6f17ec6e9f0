/** What a run is asked to do; the gate hands its criteria in as data, for the harness knows no gate. */
import type { CaseResult, Cell, CheckResult } from '../check.js';
import type { Suite } from '../suite.js';
import type { CaseLab } from './case-lab.js';
import type { Lane } from './lane.js';
import type { Selection } from './sweeps.js';

export interface PlannedCriterion {
  id: string;
  cells: Cell[];
}

export interface RunOptions {
  criteria: readonly PlannedCriterion[];
  suites: readonly Suite<CaseLab>[];
  seed: number;
  /** Folder of the run's output; evidence goes below it. */
  out: string;
  /** In ms; a plan whose estimate is above it is refused before anything starts. */
  budgetMs: number;
  /** Plants this defect in the subjects. */
  defect?: string;
  /** Only cases whose address matches. */
  only?: (caseId: string) => boolean;
  /** Only these points of the sweeps of every case: for the replay of one. */
  selection?: Selection;
  /**
   * At most so many points of each sweep. `whole` says in which criteria a case that did not fail with these is run once
   * more, with all of them.
   */
  points?:
    | {
        most(criterion: string): number;
        whole(criterion: string): boolean;
        /** Of a criterion to be run whole: points that are tried before any others. */
        preferred?(point: unknown): boolean;
      }
    | undefined;
  /** Cases of a check that run before its others. */
  first?(caseId: string): boolean;
  /** How long to look for the smallest schedule of one failed case, and of all of them, in ms; absent: not at all. */
  shrink?: { caseMs: number; runMs: number };
  /** Once a case of a check has failed, the others of that check are passed over. */
  failFast?: boolean;
  /** So many checks at a time, each on a lane of its own; absent: one after the other, in this process. */
  lanes?: { count: number; open(): Promise<Lane> };
  progress?(event: Progress): void;
}

export type Progress =
  | { kind: 'planned'; checks: number; cases: number; estimateMs: number }
  | { kind: 'started'; id: string }
  | { kind: 'finished'; result: CaseResult; done: number; of: number };

export interface RunResult {
  checks: CheckResult[];
  components: Record<string, unknown>;
  startedAt: string;
  durationMs: number;
}
