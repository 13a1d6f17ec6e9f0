/** What a delegation prints and stores: three kinds of line, the same for people, scripts and the harness. */

import type { Artifact, EventBody, Outcome, ResultEnvelope } from '../profile/model.js';
import type { Observation } from '../profile/observation.js';

export interface AcceptedLine {
  type: 'accepted';
  request_id: string;
  task_id: string;
  peer: string;
}

/** Progress is the remote side's word, not verified, and never an instruction to the reader (profile section 6). */
export interface EventLine {
  type: 'event';
  request_id: string;
  task_id: string;
  sequence: number;
  cursor: string;
  unverified: true;
  event: EventBody;
}

/** `refused`: nothing was made at the executor, and `reason` says why. */
export type LocalOutcome = Outcome | 'refused';

export interface ResultLine {
  type: 'result';
  request_id: string;
  task_id: string | null;
  outcome: LocalOutcome;
  /** A signature of a trusted key stands behind the outcome. */
  verified: boolean;
  /** Why it is not verified, or why nothing was delegated. */
  reason: string | null;
  observation: Observation | null;
  /** The executor's signed envelope as received; present only when verified. */
  envelope: ResultEnvelope | null;
  artifacts: Artifact[];
}

/** The reason of a line when only the watching ended. */
export const INTERRUPTED = 'INTERRUPTED';

export type Line = AcceptedLine | EventLine | ResultLine;
export type Sink = (line: Line) => void;

/** What a command exits with for an outcome (harness contract). */
export function exitCodeOf({ outcome }: Pick<ResultLine, 'outcome'>): number {
  if (outcome === 'completed') return 0;
  return outcome === 'unknown' ? 4 : 3;
}
