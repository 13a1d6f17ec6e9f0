/** Admissions and events for tests: as small as the journal takes them. */
import { jcs, sha256 } from '../../profile/canonical.js';
import type { Digest, TaskState } from '../../profile/model.js';
import type { Admission, EventDraft } from '../journal.js';

const AT = '2026-12-01T00:00:00.000Z';

export function admission(
  taskId: string,
  more: { caller?: string; requestId?: string; nonce?: string; digest?: Digest },
): Admission {
  const { caller = 'oab-a', requestId = 'r', nonce = 'n', digest } = more;
  return {
    task: {
      taskId,
      contextId: `c-${taskId}`,
      turnId: `turn-${taskId}`,
      caller,
      requestId,
      requestDigest: digest ?? sha256(requestId),
      request: '{}',
      effective: ['repo:read'],
      acceptedAt: 0,
      deadlineAt: 60_000,
    },
    nonce,
    events: [event(taskId, 'TASK_STATE_SUBMITTED')],
    audit: { kind: 'admitted', at: 0, peer: caller, taskId, detail: {} },
  };
}

export function status(taskId: string, text: string): EventDraft {
  return event(taskId, 'TASK_STATE_WORKING', text);
}

export function terminal(taskId: string, text: string): EventDraft {
  return event(taskId, 'TASK_STATE_COMPLETED', text);
}

function event(taskId: string, state: TaskState, text?: string): EventDraft {
  const message =
    text === undefined ? {} : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } };
  return {
    state,
    body: jcs({
      statusUpdate: { taskId, contextId: `c-${taskId}`, status: { state, timestamp: AT, ...message } },
    }),
  };
}
