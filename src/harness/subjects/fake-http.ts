/** The harness in an executor's place on A2A's bindings over HTTP: raw JSON, JSON-RPC's here. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { EXT, KEY } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';
import { honestCard } from './fake-card.js';
import type { FakeParts, Received } from './fake-parts.js';
import { requestOf, type Story, type StoryEvent, stamped, submitted } from './fake-story.js';
import { type FakeTasks, sequenceOf } from './fake-tasks.js';

interface Answered {
  result?: unknown;
  error?: { code: number; message: string; data: Json[] };
}

/** What differs between the bindings. */
export interface FakeWire {
  binding: string;
  type: string;
  /** Method and params as JSON-RPC names them, and its id where there is one; throws for what is no request. */
  read(request: IncomingMessage, path: string, body: string): { method: string; params: Json; id?: unknown };
  item(id: unknown, result: Json): Json;
  answer(id: unknown, answered: Answered): { status: number; json: unknown };
}

export const JSON_RPC: FakeWire = {
  binding: 'JSONRPC',
  type: 'application/json',
  read: (_request, _path, body) => JSON.parse(body) as { method: string; params: Json; id: unknown },
  item: (id, result) => ({ jsonrpc: '2.0', id, result }),
  answer: (id, answered) => ({ status: 200, json: { jsonrpc: '2.0', id, ...answered } }),
};

export function serveHttp(tasks: FakeTasks, url: string, wire: FakeWire): RequestListener {
  const { parts } = tasks;
  const reply = (response: ServerResponse, json: unknown, status = 200) =>
    void response
      .writeHead(status, { 'content-type': wire.type, 'A2A-Extensions': EXT })
      .end(JSON.stringify(json));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const cursor = request.headers['oab-cursor'];
    const seen: Received = {
      method: request.method ?? '',
      path,
      authorization: request.headers.authorization !== undefined,
      headers: request.rawHeaders,
      ...(typeof cursor === 'string' ? { cursor } : {}),
      body,
    };
    tasks.received.push(seen);
    if (path === '/.well-known/agent-card.json')
      return reply(response, parts.card(honestCard(url, wire.binding)));
    const rpc = wire.read(request, path, body);
    seen.rpc = String(rpc.method);
    const id = String(rpc.params?.id);
    const live = seen.rpc === 'SubscribeToTask' ? tasks.live(id) : undefined;
    if (live !== undefined) {
      const items = itemsOf(tasks.find(id) as Story, live);
      const texts = items.map((result) => JSON.stringify(wire.item(rpc.id, result)));
      return await stream(response, texts, parts.encode);
    }
    const way = {
      http: response,
      send: (text: string) =>
        void response.writeHead(200, { 'content-type': wire.type, 'A2A-Extensions': EXT }).end(text),
      drop: () => void response.destroy(),
    };
    if (parts.answer?.(seen.rpc, rpc.id, way) === true) return;
    const answered = answer(tasks, rpc);
    const story = tasks.find(id);
    if (seen.rpc === 'GetTask' && story !== undefined && typeof cursor === 'string') {
      const page = tasks.pageBeside(story, sequenceOf(cursor));
      const { task } = story;
      answered.result = { ...task, metadata: { ...task.metadata, [KEY.events]: page } };
    }
    const { status, json } = wire.answer(rpc.id, answered);
    reply(response, json, status);
  };
  // What no honest coordinator sends is answered too, so that whoever sent it does not hang.
  return (request, response) => void serve(request, response).catch(() => response.writeHead(400).end());
}

/** The usual answer. */
export function answer(tasks: FakeTasks, { method, params }: { method: string; params: Json }): Answered {
  if (method === 'SendMessage') return { result: { task: submitted(tasks.create(requestOf(params))) } };
  const story = tasks.find(String(params.id));
  if (story === undefined) return refusal(-32001, 'TASK_NOT_FOUND');
  // The task has always ended already: a subscriber reads the tail, as D-9 says.
  if (method === 'SubscribeToTask') return refusal(-32004, 'UNSUPPORTED_OPERATION');
  if (method === 'CancelTask') return refusal(-32002, 'TASK_NOT_CANCELABLE');
  return { result: story.task };
}

export function refusal(code: number, reason: string): Answered {
  return {
    error: {
      code,
      message: 'refused',
      data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }],
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The Task right after admission, then the events, as a running task sends them. */
export function itemsOf(story: Story, events: readonly StoryEvent[]): Json[] {
  const task = submitted(story);
  const position = task.metadata?.[KEY.event] as { turn_id: string } | undefined;
  return [
    { task },
    ...events
      .filter((one) => one.sequence > 1)
      .map(({ body, sequence, cursor }) =>
        stamped(body, { turn_id: position?.turn_id, sequence, cursor }, story),
      ),
  ];
}

async function stream(
  response: ServerResponse,
  items: string[],
  encode: FakeParts['encode'] = (all) => all.map((text) => `data: ${text}\n\n`),
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'A2A-Extensions': EXT });
  for (const piece of encode(items)) await new Promise((resolve) => response.write(piece, resolve));
  response.end();
}
