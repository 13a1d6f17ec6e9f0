/** One finished task as the harness tells it in an executor's place: honest here, bent by whoever plays the liar. */
import { artifactDigest } from '../../profile/artifacts.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { UnsignedEnvelope } from '../../profile/envelope.js';
import { isTerminal } from '../../profile/lifecycle.js';
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
  /** What the first event and the Task say beside the log. */
  granted: { effective_capabilities: string[]; deadline_at: string };
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
  const deadline_at = new Date(Date.parse(now) + request.deadline_ms).toISOString();
  return { task, events, envelope, granted: { effective_capabilities: request.capabilities, deadline_at } };
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

/** What a GetTask with a cursor answers beside the Task (`EXT/events`). */
export interface StoryPage {
  events: { sequence: number; cursor: string; event: Json }[];
  next: string;
  complete: boolean;
  floor?: { sequence: number; head: Digest };
}

/** Everything after this sequence, in one page. */
export function pageOf(story: Story, after: number): StoryPage {
  const position = story.task.metadata?.[KEY.event] as { turn_id: string } | undefined;
  const turn_id = position?.turn_id;
  const events = story.events
    .filter(({ sequence }) => sequence > after)
    .map(({ sequence, cursor, body }) => ({
      sequence,
      cursor,
      event: stamped(body, { turn_id, sequence, cursor }, story),
    }));
  return { events, next: '', complete: true };
}

/** The chain of the story up to this sequence: what an executor tells as its floor's head. */
export function headOf({ task, events, envelope }: Story, sequence: number): Digest {
  return events
    .slice(0, sequence)
    .reduce<Digest>(
      (before, { body }) => headAfter(before, body),
      firstHead(task.id, envelope.request_digest),
    );
}

/** As on the wire: with its position, and the terminal event with a copy of the result. */
export function stamped(body: EventBody, position: Json, { envelope }: Story): Json {
  const [key, inner] = Object.entries(body)[0] as [string, Json];
  const last = 'statusUpdate' in body && isTerminal(body.statusUpdate.status.state);
  return {
    [key]: { ...inner, metadata: { [KEY.event]: position, ...(last ? { [KEY.result]: envelope } : {}) } },
  };
}
