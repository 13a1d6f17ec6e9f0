/**
 * The harness in an executor's place on the OAB protocol, written from docs/bindings/oab.md: one text frame per JSON text
 * over a WebSocket. What no honest coordinator sends it refuses as the page says.
 */
import type { Server } from 'node:http';
import type { DelegationRequest } from '../../profile/model.js';
import type { Json } from '../wire/probe.js';
import { honestDescription } from './fake-card.js';
import { type FakeConversation, type Id, isRequest, serveFrames } from './fake-frames.js';
import { admitted, oabItems, oabTask } from './fake-oab-shapes.js';
import { FAKE_PEER, pageOf, type Story, type StoryEvent } from './fake-story.js';
import { type FakeTasks, sequenceOf } from './fake-tasks.js';

/** Members of `params`, by verb. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  describe: [],
  create: ['request'],
  get: ['task_id'],
  events: ['task_id', 'cursor'],
  cancel: ['task_id'],
};

/** Returns what ends its connections. */
export function serveOab(tasks: FakeTasks, server: Server): () => void {
  server.on('request', ({ method = '', url = '', headers, rawHeaders }, response) => {
    const authorization = headers.authorization !== undefined;
    tasks.received.push({ method, path: url, authorization, headers: rawHeaders, body: '' });
    response.writeHead(404).end();
  });
  return serveFrames(tasks, server, {
    subprotocol: 'oab.delegation.v1',
    authorized: ({ token }) => typeof token === 'string',
    refusal,
    wrongIn,
    cursorOf: ({ params }) => ((params ?? {}) as { cursor?: unknown }).cursor,
    serve({ id, method, params }, way) {
      const taskId = String(params.task_id);
      const story = tasks.find(taskId);
      const live = method === 'events' ? tasks.live(taskId) : undefined;
      if (live === undefined && tasks.parts.answer?.(method, id, way) === true) return;
      const after = sequenceOf(String(params.cursor));
      if (method !== 'events' || story === undefined) way.send(answer(tasks, id, method, params));
      else if (Number.isNaN(after)) way.send(refusal(id, -32602, 'CURSOR_INVALID'));
      else stream(tasks, way, id, story, after, live);
    },
  });
}

function stream(
  tasks: FakeTasks,
  way: FakeConversation,
  id: Id,
  story: Story,
  after: number,
  live: StoryEvent[] | undefined,
): void {
  const page = live === undefined ? tasks.page(story, after) : pageOf({ ...story, events: live }, after);
  const items = oabItems(page, after, story).map((result) => JSON.stringify({ jsonrpc: '2.0', id, result }));
  // Who lies about an ended task's log says that this was all of it.
  const whole = live === undefined || live.at(-1)?.sequence === story.envelope.event_log.last_sequence;
  const pieces = (live === undefined ? undefined : tasks.parts.encode?.(items)) ?? items;
  way.stream(id, pieces, whole ? 'complete' : 'interrupted');
}

function answer(tasks: FakeTasks, id: Id, method: string, params: Json): string {
  const story = tasks.find(String(params.task_id));
  const result = (json: Json) => JSON.stringify({ jsonrpc: '2.0', id, result: json });
  if (method === 'describe') return result(tasks.parts.card(honestDescription(FAKE_PEER)));
  if (method === 'create')
    return result(admitted(tasks.create(params.request as unknown as DelegationRequest)));
  if (story === undefined) return refusal(id, -32001, 'TASK_NOT_FOUND');
  // The task has always ended already.
  if (method === 'cancel') return refusal(id, -32002, 'TASK_NOT_CANCELABLE');
  return result(oabTask(story));
}

/** Code and reason of the refusal of a frame that the page does not have. */
function wrongIn(frame: Json): [code: number, reason: string] | undefined {
  const form = isRequest(frame, ['jsonrpc', 'id', 'method', 'params', 'token']);
  if (form === false) return [-32600, 'INVALID_REQUEST'];
  const { method, params } = frame as { method: string; params: Json };
  const members = VERBS[method];
  if (members === undefined) return [-32601, 'METHOD_NOT_FOUND'];
  const more = Object.keys(params).some((name) => !members.includes(name));
  if (form !== true || more) return [-32602, 'UNKNOWN_MEMBER'];
  return members.every((name) => name in params) ? undefined : [-32602, 'MALFORMED'];
}

function refusal(id: Id | null, code: number, reason: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused', data: { reason } } });
}
