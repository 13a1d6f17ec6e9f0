/** Event bodies as the journal takes them: JCS of the canonical form, extension keys apart (profile section 4). */
import type { EventDraft } from '../journal/journal.js';
import { jcs } from '../profile/canonical.js';
import type { Message, Part, ResultEnvelope, TaskState, TaskStatus } from '../profile/model.js';
import { KEY } from '../profile/names.js';

export interface Names {
  taskId: string;
  contextId: string;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

export function statusDraft(
  names: Names,
  state: TaskState,
  at: number,
  message?: { id: string; text: string },
): EventDraft {
  const status: TaskStatus = { state, timestamp: instant(at) };
  if (message !== undefined) status.message = agentMessage(message.id, message.text);
  return { state, body: jcs({ statusUpdate: { taskId: names.taskId, contextId: names.contextId, status } }) };
}

/** The recorded cancel: a status in the current state, marked by the extension (section 5). */
export function cancelDraft(names: Names, state: TaskState, at: number): EventDraft {
  return {
    ...statusDraft(names, state, at),
    meta: JSON.stringify({ [KEY.cancel]: { requested_at: instant(at) } }),
  };
}

/** On B_last: the envelope rides beside the body that is hashed, so that there is no cycle (section 6). */
export function withResult(draft: EventDraft, envelope: ResultEnvelope): EventDraft {
  return { ...draft, meta: JSON.stringify({ [KEY.result]: envelope }) };
}

export function artifactDraft(
  names: Names,
  state: TaskState,
  artifact: { artifactId: string; name?: string; parts: Part[] },
  flags: { append?: boolean; lastChunk?: boolean } = {},
): EventDraft {
  const update = {
    taskId: names.taskId,
    contextId: names.contextId,
    artifact,
    ...(flags.append === true ? { append: true } : {}),
    ...(flags.lastChunk === true ? { lastChunk: true } : {}),
  };
  return { state, body: jcs({ artifactUpdate: update }) };
}

function agentMessage(messageId: string, text: string): Message {
  return { messageId, role: 'ROLE_AGENT', parts: [{ text }] };
}
