/** Event bodies as the journal takes them: JCS of the canonical form, extension keys apart (profile section 4). */
import type { EventDraft } from '../journal/journal.js';
import { jcs, jcsOfOrdered } from '../profile/canonical.js';
import type { Message, Part, ResultEnvelope, TaskState } from '../profile/model.js';
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
  // Members in JCS order, here and below: every event is written by these.
  const status = {
    ...(message === undefined ? {} : { message: agentMessage(message.id, message.text) }),
    state,
    timestamp: instant(at),
  };
  const { taskId, contextId } = names;
  return { state, body: jcsOfOrdered({ statusUpdate: { contextId, status, taskId } }) };
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
  const { artifactId, name, parts } = artifact;
  const update = {
    ...(flags.append === true ? { append: true } : {}),
    artifact: { artifactId, ...(name === undefined ? {} : { name }), parts },
    contextId: names.contextId,
    ...(flags.lastChunk === true ? { lastChunk: true } : {}),
    taskId: names.taskId,
  };
  // What an agent hands over as a part may be in any order; a text is one member.
  const ordered = parts.every((part) => part.text !== undefined && Object.keys(part).length === 1);
  return { state, body: (ordered ? jcsOfOrdered : jcs)({ artifactUpdate: update }) };
}

function agentMessage(messageId: string, text: string): Message {
  return { messageId, parts: [{ text }], role: 'ROLE_AGENT' };
}
