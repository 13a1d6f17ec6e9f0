/** Between the tables' columns and the port's rows. */
import type { Digest, Outcome, TaskState } from '../profile/model.js';
import type { StopCause } from '../profile/outcome.js';
import type { AuditRow, TaskRow } from './journal.js';

export interface TaskColumns {
  task_id: string;
  context_id: string;
  turn_id: string;
  caller: string;
  request_id: string;
  nonce: string;
  request_digest: string;
  request: string;
  effective: string;
  accepted_at: number;
  deadline_at: number;
  state: string;
  sequence: number;
  head: string;
  status_at: number;
  dispatched_at: number | null;
  cancel_requested_at: number | null;
  stop_cause: string | null;
  process_group: number | null;
  process_started: string | null;
  outcome: string | null;
  terminal_at: number | null;
  floor_sequence: number | null;
  floor_head: string | null;
}

export function taskRow(columns: TaskColumns): TaskRow {
  const row: TaskRow = {
    taskId: columns.task_id,
    contextId: columns.context_id,
    turnId: columns.turn_id,
    caller: columns.caller,
    requestId: columns.request_id,
    requestDigest: columns.request_digest as Digest,
    request: columns.request,
    effective: JSON.parse(columns.effective) as string[],
    acceptedAt: columns.accepted_at,
    deadlineAt: columns.deadline_at,
    state: columns.state as TaskState,
    sequence: columns.sequence,
    head: columns.head as Digest,
  };
  if (columns.dispatched_at !== null) row.dispatchedAt = columns.dispatched_at;
  if (columns.cancel_requested_at !== null) row.cancelRequestedAt = columns.cancel_requested_at;
  if (columns.stop_cause !== null) row.stopCause = columns.stop_cause as StopCause;
  if (columns.process_group !== null) {
    row.process = { pgid: columns.process_group, startTime: columns.process_started ?? '' };
  }
  if (columns.outcome !== null) row.outcome = columns.outcome as Outcome;
  if (columns.terminal_at !== null) row.terminalAt = columns.terminal_at;
  if (columns.floor_sequence !== null) {
    row.floor = { sequence: columns.floor_sequence, head: columns.floor_head as Digest };
  }
  return row;
}

export interface AuditColumns {
  position: number;
  kind: string;
  at: number;
  peer: string | null;
  task_id: string | null;
  detail: string;
  head: string;
}

export function auditRow(columns: AuditColumns): AuditRow {
  return {
    index: columns.position,
    kind: columns.kind as AuditRow['kind'],
    at: columns.at,
    ...(columns.peer === null ? {} : { peer: columns.peer }),
    ...(columns.task_id === null ? {} : { taskId: columns.task_id }),
    detail: JSON.parse(columns.detail) as Record<string, unknown>,
    head: columns.head as Digest,
  };
}
