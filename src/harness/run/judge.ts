/** From what a case threw, and what its histories show, to its outcome. */
import { type CheckOutcome, NotExercised, Undetermined, Violation } from '../check.js';
import type { Finding } from '../checkers/finding.js';
import { DeadlinePassed } from '../lab/deadline.js';
import type { Canary } from '../lab/ports.js';

export interface Judged {
  outcome: CheckOutcome;
  reason: string;
}

/** A late host or a foreign signal is not the subject's failure. */
export function judge(
  error: unknown,
  canary: Canary,
  since: number,
  deadlineMs: number,
  deaths: string[],
): Judged {
  const message = (error as Error).message ?? String(error);
  const foreign = deaths.find((death) => /out of memory|did not send/.test(death));
  if (error instanceof NotExercised) return { outcome: 'not_exercised', reason: message };
  if (error instanceof Undetermined) return { outcome: 'undetermined', reason: message };
  if (foreign !== undefined) return { outcome: 'undetermined', reason: `${foreign}; ${message}` };
  if (error instanceof Violation) return { outcome: 'failed', reason: message };
  if (error instanceof DeadlinePassed) {
    if (canary.late(since, deadlineMs))
      return { outcome: 'undetermined', reason: `the host was late: ${message}` };
    return {
      outcome: 'failed',
      reason: message.startsWith('hang') ? `hang: not done within ${deadlineMs} ms` : message,
    };
  }
  return { outcome: 'failed', reason: `unexpected: ${(error as Error).name ?? 'error'} ${message}` };
}

/** A failure only by what the history checkers found. */
export function judgeFindings([first, ...more]: readonly Finding[]): Judged | undefined {
  if (first === undefined) return undefined;
  const { rule, subject, what } = first;
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  return { outcome: 'failed', reason: `history (${rule}) of ${subject}: ${what}${others}` };
}
