/**
 * The harness in an executor's place on the OAB protocol, written from docs/bindings/oab.md: one text frame per JSON text
 * over a WebSocket. What no honest coordinator sends it refuses as the page says.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { DelegationRequest } from '../../profile/model.js';
import type { Json } from '../wire/probe.js';
import { HEARTBEAT_SECONDS, honestDescription } from './fake-card.js';
import { admitted, oabItems, oabTask } from './fake-oab-shapes.js';
import { FAKE_PEER, pageOf, type Story, type StoryEvent } from './fake-story.js';
import { type FakeTasks, sequenceOf } from './fake-tasks.js';

const SUBPROTOCOL = 'oab.delegation.v1';
const MAX_FRAME = 4_194_304;
const FIRST_CREDIT = 64;
const MAX_OPEN = 256;
/** Members of `params`, by verb. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  describe: [],
  create: ['request'],
  get: ['task_id'],
  events: ['task_id', 'cursor'],
  cancel: ['task_id'],
};

type Id = string | number;

/** Pieces that wait for credit, each as it goes on the wire. */
interface Stream {
  pieces: (string | Buffer)[];
  credit: number;
  end: string;
}

/** Returns what ends its connections. */
export function serveOab(tasks: FakeTasks, server: Server): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    handleProtocols: () => SUBPROTOCOL,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const authorization = headers.authorization !== undefined;
    tasks.received.push({ method, path: url, authorization, headers: rawHeaders, body: '' });
    const offered = String(headers['sec-websocket-protocol'] ?? '').split(',');
    if (!authorization) refuse(socket, '401 Unauthorized\r\nWWW-Authenticate: Bearer');
    else if (!offered.some((one) => one.trim() === SUBPROTOCOL)) refuse(socket, '400 Bad Request');
    else sockets.handleUpgrade(request, socket, head, (open) => void new Conversation(tasks, open));
  });
  server.on('request', ({ method = '', url = '', headers, rawHeaders }, response) => {
    const authorization = headers.authorization !== undefined;
    tasks.received.push({ method, path: url, authorization, headers: rawHeaders, body: '' });
    response.writeHead(404).end();
  });
  return () => {
    for (const open of sockets.clients) open.terminate();
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

class Conversation {
  readonly #tasks: FakeTasks;
  readonly #open: WebSocket;
  readonly #streams = new Map<Id, Stream>();

  constructor(tasks: FakeTasks, open: WebSocket) {
    this.#tasks = tasks;
    this.#open = open;
    const beat = setInterval(() => open.ping(), HEARTBEAT_SECONDS * 1000);
    open.on('close', () => clearInterval(beat));
    open.on('error', () => {});
    open.on('message', (data: Buffer, binary: boolean) => {
      if (binary) open.close(1008);
      else this.#read(data.toString('utf8'));
    });
  }

  #read(text: string): void {
    let frame: Json;
    try {
      frame = JSON.parse(text) as Json;
    } catch {
      this.#open.send(refusal(null, -32700, 'PARSE_ERROR'));
      return;
    }
    if (frame.method === '$/credit' || frame.method === '$/cancelStream') this.#control(frame);
    else this.#request(frame, text);
  }

  #control({ method, params }: Json): void {
    const { id, events = 0 } = params as { id: Id; events?: number };
    const stream = this.#streams.get(id);
    // It may have ended while this was on its way.
    if (stream === undefined) return;
    if (method === '$/credit') stream.credit += events;
    else Object.assign(stream, { pieces: [], end: 'cancelled' });
    this.#pump(id, stream);
  }

  #request(frame: Json, text: string): void {
    const { id, method, params, token } = frame as { id: Id; method: string; params: Json; token?: string };
    const { cursor } = (params ?? {}) as { cursor?: unknown };
    this.#tasks.received.push({
      method: '',
      path: '',
      authorization: token !== undefined,
      headers: [],
      rpc: String(method),
      ...(typeof cursor === 'string' ? { cursor } : {}),
      body: text,
    });
    const wrong = wrongIn(frame);
    if (wrong !== undefined) this.#open.send(refusal(isId(id) ? id : null, ...wrong));
    else if (this.#streams.has(id) || this.#streams.size >= MAX_OPEN) this.#open.close(1008);
    else if (typeof token === 'string') this.#serve(id, method, params);
    else {
      this.#open.send(refusal(id, -32603, 'UNAUTHENTICATED'));
      this.#open.close(4401);
    }
  }

  #serve(id: Id, method: string, params: Json): void {
    const taskId = String(params.task_id);
    const story = this.#tasks.find(taskId);
    const live = method === 'events' ? this.#tasks.live(taskId) : undefined;
    const way = { send: (text: string) => this.#open.send(text), drop: () => this.#open.terminate() };
    if (live === undefined && this.#tasks.parts.answer?.(method, id, way) === true) return;
    const after = sequenceOf(String(params.cursor));
    if (method !== 'events' || story === undefined) way.send(answer(this.#tasks, id, method, params));
    else if (Number.isNaN(after)) way.send(refusal(id, -32602, 'CURSOR_INVALID'));
    else this.#stream(id, story, after, live);
  }

  #stream(id: Id, story: Story, after: number, live: StoryEvent[] | undefined): void {
    const page =
      live === undefined ? this.#tasks.page(story, after) : pageOf({ ...story, events: live }, after);
    const items = oabItems(page, after, story).map((result) =>
      JSON.stringify({ jsonrpc: '2.0', id, result }),
    );
    // Who lies about an ended task's log says that this was all of it.
    const whole = live === undefined || live.at(-1)?.sequence === story.envelope.event_log.last_sequence;
    const stream: Stream = {
      pieces: (live === undefined ? undefined : this.#tasks.parts.encode?.(items)) ?? items,
      credit: FIRST_CREDIT,
      end: whole ? 'complete' : 'interrupted',
    };
    this.#streams.set(id, stream);
    this.#pump(id, stream);
  }

  #pump(id: Id, stream: Stream): void {
    for (; stream.credit > 0 && stream.pieces.length > 0; stream.credit -= 1)
      this.#open.send(stream.pieces.shift() as string | Buffer);
    if (stream.pieces.length > 0) return;
    this.#streams.delete(id);
    const params = { id, reason: stream.end };
    this.#open.send(JSON.stringify({ jsonrpc: '2.0', method: '$/streamEnd', params }));
  }
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
  const { jsonrpc, id, method, params } = frame as { jsonrpc: unknown; id: Id; method: string; params: Json };
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string' || !isObject(params))
    return [-32600, 'INVALID_REQUEST'];
  const members = VERBS[method];
  if (members === undefined) return [-32601, 'METHOD_NOT_FOUND'];
  const more = [
    ...Object.keys(frame).filter((name) => !['jsonrpc', 'id', 'method', 'params', 'token'].includes(name)),
    ...Object.keys(params).filter((name) => !members.includes(name)),
  ];
  if (more.length > 0) return [-32602, 'UNKNOWN_MEMBER'];
  return members.every((name) => name in params) ? undefined : [-32602, 'MALFORMED'];
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' ? /^[\x21-\x7e]{1,64}$/.test(id) : Number.isSafeInteger(id);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusal(id: Id | null, code: number, reason: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused', data: { reason } } });
}
