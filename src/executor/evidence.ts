/** From how a turn ended to what the outcome table judges (profile section 5). */
import type { TaskRow } from '../journal/journal.js';
import type { Evidence, StopCause } from '../profile/outcome.js';
import type { TurnEnd } from './agent/runner.js';

/** `row` has what was journalled, `stopCause` what this process knows; `logFailed`: some of the output is lost. */
export function evidenceOf(
  end: TurnEnd,
  row: TaskRow,
  stopCause: StopCause | undefined,
  logFailed: boolean,
): Evidence {
  const exec = row.effective.includes('exec');
  const repositoryOnly = row.effective.every((capability) => capability.startsWith('repo:'));
  const first = row.stopCause ?? stopCause;
  // A finished task with a part of its output missing would not be what the agent finished.
  const spoilt = logFailed && end.stopReason === 'end_turn' && (first === undefined || first === 'cancel');
  return {
    dispatched: end.dispatched,
    stopReason: end.stopReason,
    error: end.error,
    openCalls: end.openCalls,
    noEffectProven: end.boundary || (repositoryOnly && end.workspaceChanged === false),
    violated: end.violations.length > 0 || (!exec && end.workspaceChanged === true),
    stopCause: spoilt ? 'store' : first,
    cancelled: row.cancelRequestedAt !== undefined,
  };
}

/**
 * The end of a turn that broke on our side: nothing is known of what the agent did after the last event that was
 * taken, so no `stopReason` counts. `end` is what the runner still told.
 */
export function lostEnd(dispatched: boolean, end?: TurnEnd): TurnEnd {
  const { stopReason: _unheard, ...rest } = end ?? {
    dispatched,
    violations: [],
    boundary: false,
    sideEffects: [{ kind: 'boundary', evidence: 'unverified' }] as TurnEnd['sideEffects'],
    summary: '',
  };
  return { ...rest, openCalls: true, error: rest.dispatched ? 'WORKER_LOST' : 'AGENT_UNAVAILABLE' };
}
