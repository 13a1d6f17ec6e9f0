/** One finished task as the harness tells it in an executor's place: honest here, bent by whoever plays the liar. */
import { artifactDigest } from '../../profile/artifacts.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { UnsignedEnvelope } from '../../profile/envelope.js';
import type {
  Artifact,
  DelegationRequest,
  Digest,
  EventBody,
  ResultEnvelope,
  Task,
} from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import { coreState } from '../../profile/outcome.js';
import { requestDigest } from '../../profile/request.js';
import type { Json } from '../wire/probe.js';

export const FAKE_PEER = 'oab-b';

export interface StoryEvent {
  sequence: number;
  cursor: string;
  body: EventBody;
}

/** Everything that one finished task says, before it is put on the wire. */
export interface Story {
  task: Task;
  events: StoryEvent[];
  envelope: ResultEnvelope;
}

export function requestOf(params: Json): DelegationRequest {
  const message = params.message as { parts: { text: string }[]; metadata: Record<string, Json> };
  return {
    ...message.metadata[KEY.request],
    task: message.parts[0]?.text ?? '',
  } as unknown as DelegationRequest;
}

/** A finished task: submitted, working, one artifact in two pieces, completed. */
export function tell(
  request: DelegationRequest,
  caller: string,
  sign: (unsigned: UnsignedEnvelope) => ResultEnvelope,
  bend: (envelope: UnsignedEnvelope) => UnsignedEnvelope,
): Story {
  const names = { taskId: `task-${request.request_id}`, contextId: `context-${request.request_id}` };
  const turn_id = `turn-${request.request_id}`;
  const now = new Date().toISOString();
  const artifact: Artifact = {
    artifactId: 'answer',
    name: 'answer',
    parts: [{ text: 'one ' }, { text: 'two' }],
  };
  const state = (name: 'SUBMITTED' | 'WORKING') => ({
    statusUpdate: { ...names, status: { state: `TASK_STATE_${name}` as const, timestamp: now } },
  });
  const summary = 'one two';
  const last: EventBody = {
    statusUpdate: {
      ...names,
      status: {
        state: coreState('completed'),
        timestamp: now,
        message: { messageId: 'm-last', role: 'ROLE_AGENT', parts: [{ text: summary }] },
      },
    },
  };
  const bodies: EventBody[] = [
    state('SUBMITTED'),
    state('WORKING'),
    { artifactUpdate: { ...names, artifact: { ...artifact, parts: [{ text: 'one ' }] } } },
    {
      artifactUpdate: {
        ...names,
        artifact: { artifactId: 'answer', parts: [{ text: 'two' }] },
        append: true,
        lastChunk: true,
      },
    },
    last,
  ];
  const digest = requestDigest(request);
  const head = bodies.reduce<Digest>(
    (before, body) => headAfter(before, body),
    firstHead(names.taskId, digest),
  );
  const envelope = sign(
    bend({
      protocol_version: 1,
      request_id: request.request_id,
      task_id: names.taskId,
      turn_id,
      status: 'completed',
      summary,
      error: null,
      executed_by: FAKE_PEER,
      caller,
      effective_capabilities: request.capabilities,
      request_digest: digest,
      artifacts: [{ artifact_id: 'answer', owner: FAKE_PEER, digest: artifactDigest(artifact) }],
      side_effects: [{ kind: 'boundary', evidence: 'unverified' }],
      event_log: { last_sequence: bodies.length, head },
      signed_at: now,
    }),
  );
  const events = bodies.map((body, index) => ({ sequence: index + 1, cursor: `c${index + 1}`, body }));
  const task: Task = {
    id: names.taskId,
    contextId: names.contextId,
    status: last.statusUpdate.status,
    artifacts: [{ ...artifact, metadata: { [KEY.owner]: FAKE_PEER } }],
    metadata: {
      [KEY.event]: { turn_id, sequence: bodies.length, cursor: `c${bodies.length}`, head },
      [KEY.result]: envelope,
    },
  };
  return { task, events, envelope };
}

/** The answer to the create: the Task right after admission. */
export function submitted({ task, events }: Story): Task {
  const first = events[0]?.body;
  const status = first !== undefined && 'statusUpdate' in first ? first.statusUpdate.status : task.status;
  const position = task.metadata?.[KEY.event] as { turn_id: string };
  return {
    id: task.id,
    contextId: task.contextId,
    status,
    metadata: { [KEY.event]: { turn_id: position.turn_id, sequence: 1, cursor: 'c1' } },
  };
}

export function withPage(task: Task, story: Story | undefined, cursor: string | string[] | undefined): Task {
  if (story === undefined || typeof cursor !== 'string') return task;
  const after = cursor === '0' ? 0 : Number(cursor.slice(1));
  const position = task.metadata?.[KEY.event] as { turn_id: string } | undefined;
  const turn_id = position?.turn_id;
  const events = story.events
    .filter(({ sequence }) => sequence > after)
    .map(({ sequence, cursor: own, body }) => ({
      sequence,
      cursor: own,
      event: stamped(body, { turn_id, sequence, cursor: own }, story),
    }));
  return { ...task, metadata: { ...task.metadata, [KEY.events]: { events, next: '', complete: true } } };
}

export function stamped(body: EventBody, position: Json, story: Story): Json {
  const [key, inner] = Object.entries(body)[0] as [string, Json];
  const last = story.events.at(-1)?.body === body;
  return {
    [key]: {
      ...inner,
      metadata: { [KEY.event]: position, ...(last ? { [KEY.result]: story.envelope } : {}) },
    },
  };
}
