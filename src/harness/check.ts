/** The vocabulary of a run: cells, cases, checks and their outcomes. A check is a criterion in one applicable cell. */
import type { BindingName } from '../profile/names.js';

export type Topology = 'direct' | 'dual-outbound';

export interface Cell {
  binding: BindingName;
  topology: Topology;
}

export type CheckOutcome = 'passed' | 'failed' | 'undetermined' | 'not_exercised' | 'not_run';

/** Named figures of a case, each with its unit in its name. */
export interface Measurement {
  name: string;
  [figure: string]: unknown;
}

/** One attempt at a criterion in a cell. `id` is an address: `RPL-03/JSONRPC/direct/reset`. */
export interface CaseResult {
  id: string;
  outcome: CheckOutcome;
  /** Why, unless passed: one sentence with what was expected and what was seen. */
  reason?: string;
  /** How many single attempts (cut points, races, mutants) the case made. */
  attempts: number;
  /** Paths of evidence files, relative to the output folder. */
  evidence: string[];
  measurements?: Measurement[];
  duration_ms: number;
}

export interface CheckResult {
  criterion: string;
  cell: Cell;
  outcome: CheckOutcome;
  reason?: string;
  cases: CaseResult[];
  duration_ms: number;
}

/** Thrown by a case to fail with a reason; anything else thrown is a failure too, named as unexpected. */
export class Violation extends Error {
  override name = 'Violation';
}

/** Thrown by a case whose fault did not take or whose surroundings broke: neither pass nor fail. */
export class Undetermined extends Error {
  override name = 'Undetermined';
}

/** Thrown by a case that the subject gives no means for (an absent hook). Never a pass. */
export class NotExercised extends Error {
  override name = 'NotExercised';
}
