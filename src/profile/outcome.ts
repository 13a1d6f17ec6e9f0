/** The outcome table of section 5, row by row: from evidence to one outcome, never from what the agent claims. */
import type { ResultErrorCode } from './errors.js';
import type { Outcome, TaskState } from './model.js';

/** What was journalled first as the reason to stop the turn. */
export type StopCause =
  | 'cancel'
  | 'deadline'
  | 'runtime'
  | 'output'
  | 'events'
  | 'artifacts'
  | 'store'
  | 'drain';

export interface Evidence {
  /** A prompt was written to the agent. */
  dispatched: boolean;
  /** ACP's stopReason; undefined when the process ended without one. */
  stopReason?: string | undefined;
  /** How the agent failed, where it did. */
  error?: ResultErrorCode | undefined;
  /** A tool call other than read, search, think has no final status. */
  openCalls: boolean;
  /** An enforced boundary, or an unchanged workspace digest under a repository-only grant, rules an effect out. */
  noEffectProven: boolean;
  /** A call of a kind outside the effective set completed, or the workspace changed under a grant without exec. */
  violated: boolean;
  stopCause?: StopCause | undefined;
  cancelled: boolean;
}

export interface Judgement {
  outcome: Outcome;
  error?: ResultErrorCode;
}

const BUDGET_CAUSES: readonly (StopCause | undefined)[] = ['runtime', 'output', 'events', 'artifacts'];

export function judge(evidence: Evidence): Judgement {
  const { dispatched, stopReason, stopCause } = evidence;
  if (!dispatched) return beforeDispatch(evidence);
  if ((evidence.openCalls || stopReason === undefined) && !evidence.noEffectProven) {
    return { outcome: 'unknown', error: 'EFFECT_UNKNOWN' };
  }
  if (evidence.violated) return { outcome: 'failed', error: 'READ_ONLY_VIOLATED' };
  if (stopCause === 'deadline') return { outcome: 'expired', error: 'DEADLINE_EXCEEDED' };
  if (BUDGET_CAUSES.includes(stopCause)) return { outcome: 'failed', error: 'BUDGET_EXHAUSTED' };
  if (stopCause === 'store') return { outcome: 'failed', error: 'STORE_LOST' };
  if (stopReason === 'end_turn') return { outcome: 'completed' };
  if (evidence.cancelled) return { outcome: 'cancelled' };
  switch (stopReason) {
    case 'max_tokens':
    case 'max_turn_requests':
      return { outcome: 'failed', error: 'BUDGET_EXHAUSTED' };
    case 'refusal':
      return { outcome: 'failed', error: 'REFUSED' };
    case 'cancelled':
      return { outcome: 'failed', error: 'AGENT_STOPPED' };
    case undefined:
      return { outcome: 'failed', error: evidence.error ?? 'WORKER_LOST' };
    default:
      return { outcome: 'unknown', error: 'EFFECT_UNKNOWN' };
  }
}

/** Row 1: nothing was asked of an agent, so nothing can have happened. */
function beforeDispatch({ stopCause, cancelled, error }: Evidence): Judgement {
  if (stopCause === 'cancel' || (stopCause === undefined && cancelled)) return { outcome: 'cancelled' };
  if (stopCause === 'deadline') return { outcome: 'expired', error: 'DEADLINE_EXCEEDED' };
  if (stopCause === 'store') return { outcome: 'failed', error: 'STORE_LOST' };
  if (BUDGET_CAUSES.includes(stopCause)) return { outcome: 'failed', error: 'BUDGET_EXHAUSTED' };
  return { outcome: 'failed', error: error ?? 'EXECUTOR_RESTARTED' };
}

/** D-8: expired and unknown are core FAILED, told apart by the envelope. */
export function coreState(outcome: Outcome): TaskState {
  switch (outcome) {
    case 'completed':
      return 'TASK_STATE_COMPLETED';
    case 'cancelled':
      return 'TASK_STATE_CANCELED';
    case 'rejected':
      return 'TASK_STATE_REJECTED';
    default:
      return 'TASK_STATE_FAILED';
  }
}
