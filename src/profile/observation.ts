/** How much of the event log the coordinator itself saw, beside the outcome (section 6). */
import type { Digest } from './model.js';

export type Observation = 'complete' | 'suffix' | 'incomplete' | 'contradicted';

/** The coordinator's own chain: from event 1, or from a floor that the executor gave. */
export interface Seen {
  /** The sequence before the first event that was hashed: 0 for the whole log. */
  from: number;
  last: number;
  head: Digest;
  /** Events were missed inside, or the end was not reached. */
  gaps: boolean;
}

export function observation(seen: Seen, log: { last_sequence: number; head: Digest }): Observation {
  // More than the signed log holds cannot be part of it.
  if (seen.last > log.last_sequence) return 'contradicted';
  if (seen.last < log.last_sequence) return 'incomplete';
  // Behind a gap the chain goes on from the floor's head: missing events excuse none that came.
  if (seen.head !== log.head) return 'contradicted';
  if (seen.gaps) return 'incomplete';
  return seen.from === 0 ? 'complete' : 'suffix';
}
