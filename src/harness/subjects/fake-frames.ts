/** The harness in an executor's place in WebSocket text frames, as far as docs/bindings/oab.md and wss.md say the same. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Json } from '../wire/probe.js';
import { HEARTBEAT_SECONDS } from './fake-card.js';
import type { FakeTasks } from './fake-tasks.js';

const MAX_FRAME = 4_194_304;
const FIRST_CREDIT = 64;
const MAX_OPEN = 256;

export type Id = string | number;

/** Pieces that wait for credit, each as it goes on the wire. */
interface Stream {
  pieces: (string | Buffer)[];
  credit: number;
  end: string;
}

/** What is one protocol's own; `send` and `stream` are the way back. */
export interface FakeSpeech {
  subprotocol: string;
  /** The token of a request, or that it has none. */
  authorized(frame: Json): boolean;
  /** An error's frame. */
  refusal(id: Id | null, code: number, reason: string): string;
  /** Code and reason of the refusal of a frame that the page does not have. */
  wrongIn(frame: Json): [code: number, reason: string] | undefined;
  /** The place that events were asked from. */
  cursorOf(frame: Json): unknown;
  serve(request: { id: Id; method: string; params: Json; cursor: unknown }, way: FakeConversation): void;
}

export interface FakeConversation {
  send(text: string): void;
  drop(): void;
  stream(id: Id, pieces: readonly (string | Buffer)[], end: 'complete' | 'interrupted'): void;
}

/** Returns what ends its connections. */
export function serveFrames(tasks: FakeTasks, server: Server, speech: FakeSpeech): () => void {
  const { subprotocol } = speech;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    handleProtocols: () => subprotocol,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const authorization = headers.authorization !== undefined;
    tasks.received.push({ method, path: url, authorization, headers: rawHeaders, body: '' });
    const offered = String(headers['sec-websocket-protocol'] ?? '').split(',');
    if (!authorization) refuse(socket, '401 Unauthorized\r\nWWW-Authenticate: Bearer');
    else if (!offered.some((one) => one.trim() === subprotocol)) refuse(socket, '400 Bad Request');
    else sockets.handleUpgrade(request, socket, head, (open) => void new Conversation(tasks, open, speech));
  });
  return () => {
    for (const open of sockets.clients) open.terminate();
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

class Conversation implements FakeConversation {
  readonly #tasks: FakeTasks;
  readonly #open: WebSocket;
  readonly #speech: FakeSpeech;
  readonly #streams = new Map<Id, Stream>();

  constructor(tasks: FakeTasks, open: WebSocket, speech: FakeSpeech) {
    this.#tasks = tasks;
    this.#open = open;
    this.#speech = speech;
    const beat = setInterval(() => open.ping(), HEARTBEAT_SECONDS * 1000);
    open.on('close', () => clearInterval(beat));
    open.on('error', () => {});
    open.on('message', (data: Buffer, binary: boolean) => {
      if (binary) open.close(1008);
      else this.#read(data.toString('utf8'));
    });
  }

  send(text: string): void {
    this.#open.send(text);
  }

  drop(): void {
    this.#open.terminate();
  }

  stream(id: Id, pieces: readonly (string | Buffer)[], end: 'complete' | 'interrupted'): void {
    const stream: Stream = { pieces: [...pieces], credit: FIRST_CREDIT, end };
    this.#streams.set(id, stream);
    this.#pump(id, stream);
  }

  #read(text: string): void {
    let frame: Json;
    try {
      frame = JSON.parse(text) as Json;
    } catch {
      this.send(this.#speech.refusal(null, -32700, 'PARSE_ERROR'));
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
    const { id, method, params } = frame as { id: Id; method: string; params: Json };
    const { refusal, wrongIn, authorized, cursorOf } = this.#speech;
    const cursor = cursorOf(frame);
    const authorization = authorized(frame);
    this.#tasks.received.push({
      method: '',
      path: '',
      authorization,
      headers: [],
      rpc: String(method),
      ...(typeof cursor === 'string' ? { cursor } : {}),
      body: text,
    });
    const wrong = wrongIn(frame);
    if (wrong !== undefined) this.send(refusal(isId(id) ? id : null, ...wrong));
    else if (this.#streams.has(id) || this.#streams.size >= MAX_OPEN) this.#open.close(1008);
    else if (authorization) this.#speech.serve({ id, method, params, cursor }, this);
    else {
      this.send(refusal(id, -32603, 'UNAUTHENTICATED'));
      this.#open.close(4401);
    }
  }

  #pump(id: Id, stream: Stream): void {
    for (; stream.credit > 0 && stream.pieces.length > 0; stream.credit -= 1)
      this.#open.send(stream.pieces.shift() as string | Buffer);
    if (stream.pieces.length > 0) return;
    this.#streams.delete(id);
    const params = { id, reason: stream.end };
    this.send(JSON.stringify({ jsonrpc: '2.0', method: '$/streamEnd', params }));
  }
}

/** A frame of JSON-RPC 2.0 with these members and no others. */
export function isRequest(frame: Json, members: readonly string[]): boolean | 'unknown member' {
  const { jsonrpc, id, method, params } = frame;
  if (jsonrpc !== '2.0' || !isId(id) || typeof method !== 'string' || !isObject(params)) return false;
  return Object.keys(frame).every((name) => members.includes(name)) ? true : 'unknown member';
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' ? /^[\x21-\x7e]{1,64}$/.test(id) : Number.isSafeInteger(id);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
