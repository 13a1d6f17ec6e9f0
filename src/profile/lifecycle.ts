/** The core states that a task of the profile goes through, and nothing else (O-143). */
import type { TaskState } from './model.js';

const NEXT: Readonly<Record<TaskState, readonly TaskState[]>> = {
  TASK_STATE_SUBMITTED: [
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_WORKING: [
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
  ],
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
};

export function isTaskState(value: unknown): value is TaskState {
  return typeof value === 'string' && Object.hasOwn(NEXT, value);
}

export function isTerminal(state: TaskState): boolean {
  return NEXT[state].length === 0;
}

/** Whether a status event may move a task from one state to the other. */
export function mayFollow(from: TaskState, to: TaskState): boolean {
  return NEXT[from].includes(to);
}
