/** One executor asked by each of its bindings for the same things; the bytes of a request are made before it is sent. */
import { randomBytes } from 'node:crypto';
import { messageFromRequest } from '../../profile/message.js';
import { CURSOR_PARAMETER, EXT, EXTENSIONS_PARAMETER } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import type { Plan } from '../plan.js';
import type { Side } from '../side.js';
import { Connection } from './connection.js';
import { FrameConnection } from './frame-connection.js';
import { HOST } from './requests.js';
import { EventStream } from './stream.js';

/** A kept connection: the text of an answer to a prepared request. */
export interface Asking {
  ask(request: Buffer): Promise<string>;
  close(): void;
}

export interface Speaker {
  label: string;
  open(): Promise<Asking>;
  create(plan: Plan): Buffer;
  /** GetTask, from a cursor. */
  get(taskId: string, cursor: string): Buffer;
  /** Begins a task and reads its stream to the end. `prepared` is made before the clock starts. */
  prepare(plan: Plan): (least: number) => Promise<void>;
  /** Where a protocol has no pages: the whole log on one stream. */
  replay?(taskId: string, least: number): Promise<void>;
}

const CREDIT = 2 ** 30;
const AT_ONCE = { configuration: { returnImmediately: true } };

export function speakers({ port, requests }: Side): Speaker[] {
  const { parts } = requests;
  if (parts === undefined) throw new Error('the executor under test has one binding');
  const a2a = (plan: Plan) => {
    const request = parts.requestOf(plan);
    return { message: messageFromRequest(request), token: parts.token(requestDigest(request)) };
  };
  const http = (begin: string, token: string, body?: unknown, more: Record<string, string> = {}) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const lines = Object.entries({
      host: HOST,
      'content-type': 'application/a2a+json',
      'content-length': String(Buffer.byteLength(text)),
      'A2A-Version': '1.0',
      [EXTENSIONS_PARAMETER]: EXT,
      authorization: `Bearer ${token}`,
      ...more,
    }).map(([name, value]) => `${name}: ${value}`);
    return Buffer.from(`${begin} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
  };
  const overHttp = async (): Promise<Asking> => {
    const connection = await Connection.open(port);
    return {
      ask: async (request) => (await connection.exchange(request)).toString('latin1'),
      close: () => connection.close(),
    };
  };
  const streamed = (request: Buffer) => (least: number) => EventStream.open(port, request).ended(least);
  const overFrames = (subprotocol: string) => async (): Promise<Asking> => {
    const connection = await FrameConnection.open(port, upgrade(subprotocol, parts.token()));
    return {
      ask: async (request) => (await connection.exchange(request)).toString('latin1'),
      close: () => connection.close(),
    };
  };
  const wss = (method: string, params: unknown, token: string, more: Record<string, string> = {}) =>
    frame({
      id: 1,
      method,
      params,
      serviceParameters: {
        'A2A-Version': '1.0',
        [EXTENSIONS_PARAMETER]: EXT,
        Authorization: `Bearer ${token}`,
        ...more,
      },
    });
  const oab = (method: string, params: unknown, req?: string) =>
    frame({ id: 1, method, params, token: parts.token(req) });
  const followed = (taskId: string) =>
    Buffer.concat([oab('events', { task_id: taskId, cursor: '0' }), credit()]);
  const oabCreate = (plan: Plan) => {
    const request = parts.requestOf(plan);
    return oab('create', { request }, requestDigest(request));
  };
  const counted = async (subprotocol: string, frames: Buffer, least: number, first?: Buffer) => {
    const connection = await FrameConnection.open(port, upgrade(subprotocol, parts.token()));
    const answer = first === undefined ? undefined : (await connection.exchange(first)).toString('latin1');
    const items = await connection.items(answer === undefined ? frames : followed(idIn(answer)));
    if (items < least) throw new Error(`${items} items of ${least}`);
  };

  return [
    {
      label: 'JSON-RPC',
      open: overHttp,
      create: requests.create,
      get: requests.get,
      prepare: (plan) => streamed(requests.stream(plan)),
    },
    {
      label: 'HTTP+JSON',
      open: overHttp,
      create(plan) {
        const { message, token } = a2a(plan);
        return http('POST /message:send', token, { message, ...AT_ONCE });
      },
      get: (id, cursor) => http(`GET /tasks/${id}`, parts.token(), undefined, { [CURSOR_PARAMETER]: cursor }),
      prepare(plan) {
        const { message, token } = a2a(plan);
        return streamed(http('POST /message:stream', token, { message }, { connection: 'close' }));
      },
    },
    {
      label: 'WSS',
      open: overFrames('oab.a2a.v1'),
      create(plan) {
        const { message, token } = a2a(plan);
        return wss('SendMessage', { message, ...AT_ONCE }, token);
      },
      get: (id, cursor) => wss('GetTask', { id }, parts.token(), { [CURSOR_PARAMETER]: cursor }),
      prepare(plan) {
        const { message, token } = a2a(plan);
        const frames = Buffer.concat([wss('SendStreamingMessage', { message }, token), credit()]);
        // The Task may or may not include the events before it.
        return (least) => counted('oab.a2a.v1', frames, least - 3);
      },
    },
    {
      label: 'OAB',
      open: overFrames('oab.delegation.v1'),
      create: oabCreate,
      get: (task_id) => oab('get', { task_id }),
      prepare(plan) {
        const first = oabCreate(plan);
        return (least) => counted('oab.delegation.v1', Buffer.alloc(0), least - 3, first);
      },
      replay: (taskId, least) => counted('oab.delegation.v1', followed(taskId), least),
    },
  ];
}

/** The id of a task in an answer's text. */
export function idIn(answer: string): string {
  const id = /"(?:task_id|id)":"(task-[^"]+)"/.exec(answer)?.[1];
  if (id === undefined) throw new Error(`no task: ${answer.slice(0, 300)}`);
  return id;
}

function upgrade(subprotocol: string, token: string): Buffer {
  const lines = Object.entries({
    Host: HOST,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': subprotocol,
    Authorization: `Bearer ${token}`,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
}

/** All the credit that there can be, for the one stream. */
function credit(): Buffer {
  return frame({ method: '$/credit', params: { id: 1, events: CREDIT } });
}

/** Masked, by a key that changes nothing (RFC 6455 section 5.3). */
function frame(json: Record<string, unknown>): Buffer {
  const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...json }));
  if (text.length < 126) return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
  const head = Buffer.alloc(8);
  head.writeUInt8(0x81, 0);
  head.writeUInt8(0x80 | 126, 1);
  head.writeUInt16BE(text.length, 2);
  return Buffer.concat([head, text]);
}
