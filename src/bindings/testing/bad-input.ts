/** What no peer should send, on each binding, as raw bytes; and what the server was heard to say to it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { EXT } from '../../profile/names.js';
import { bearer } from './held-executor.js';
import type { Ask, Rig, Spoken } from './rig.js';

/** `task` is one that runs. Resolves with what was said: an error's text, or `closed CODE REASON`. */
export type Bad = (rig: Rig, task: string) => Promise<string>;

/** One per kind of bad input; undefined where the binding has no such thing. */
export interface BadInputs {
  tooBig: Bad;
  notJson: Bad;
  notText: Bad;
  unknownMethod: Bad;
  reusedId: Bad | undefined;
  expiredToken: Bad;
  compressedBomb: Bad;
  politeEnd: Bad;
}

/** Above what any server of ours takes in one request or frame. */
const TOO_MUCH = Buffer.alloc(4_194_304 + 1, 0x20);
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024));

const rpc = (method: string, params: object, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

const asked =
  (ask: Ask): Bad =>
  async (rig) => {
    const { status, text } = await rig.ask(ask);
    return `${status} ${text}`;
  };

/** A reader that ends its side as soon as it has been told something. */
const leaves =
  (request: (task: string) => string): Bad =>
  async (rig, task) => {
    const socket = connect({ port: rig.port, host: '127.0.0.1' });
    socket.write(request(task));
    await once(socket, 'data');
    socket.end();
    await once(socket.resume(), 'close');
    return 'nothing';
  };

function overHttp(path: string, unknown: Ask, subscribe: (task: string) => [line: string, body: string]) {
  const headers = (body: string) =>
    [
      'host: oab-b.lab',
      `authorization: Bearer ${bearer()}`,
      'a2a-version: 1.0',
      `a2a-extensions: ${EXT}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ].join('\r\n');
  return {
    tooBig: asked({ path, body: TOO_MUCH }),
    notJson: asked({ path, body: '{' }),
    notText: asked({ path, body: Buffer.from([0x22, 0xff, 0x22]) }),
    unknownMethod: asked(unknown),
    expiredToken: asked({ ...unknown, headers: { authorization: `Bearer ${bearer({ expired: true })}` } }),
    compressedBomb: asked({ path, body: BOMB, headers: { 'content-encoding': 'gzip' } }),
    politeEnd: leaves((task) => {
      const [line, body] = subscribe(task);
      return `${line} HTTP/1.1\r\n${headers(body)}\r\n\r\n${body}`;
    }),
  };
}

/** Opens a WebSocket, does `act` on it, and resolves with the first error or the close, whatever comes first. */
const inFrames =
  (subprotocol: string, act: (ws: WebSocket, task: string) => unknown): Bad =>
  async (rig, task) => {
    const ws = new WebSocket(`ws://127.0.0.1:${rig.port}/`, subprotocol, {
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${bearer()}` },
    });
    ws.on('error', () => {});
    await once(ws, 'open');
    const said = new Promise<string>((resolve) => {
      ws.on('close', (code, reason) => resolve(`closed ${code} ${reason}`));
      ws.on('message', (data) => {
        const { error } = JSON.parse(String(data)) as { error?: { code: number; message: string } };
        if (error !== undefined) resolve(`${error.code} ${error.message}`);
      });
    });
    await act(ws, task);
    const heard = await said;
    ws.terminate();
    return heard;
  };

function overWebSocket(
  subprotocol: string,
  read: { method: string; params(task: string): object },
  signed: (token: string) => object,
): BadInputs {
  const say = (frame: object) => (ws: WebSocket) =>
    ws.send(JSON.stringify({ ...signed(bearer()), ...frame }));
  const reads = (ws: WebSocket, task: string) => {
    say(rpc(read.method, read.params(task), 's'))(ws);
    return once(ws, 'message');
  };
  const at = (act: (ws: WebSocket, task: string) => unknown) => inFrames(subprotocol, act);
  return {
    tooBig: at((ws) => ws.send(TOO_MUCH.toString())),
    notJson: at((ws) => ws.send('{')),
    notText: at((ws) => ws.send(Buffer.from([0x22, 0xff, 0x22]))),
    unknownMethod: at(say(rpc('Nothing', {}))),
    reusedId: at(async (ws, task) => {
      await reads(ws, task);
      say(rpc(read.method, read.params(task), 's'))(ws);
    }),
    expiredToken: at((ws, task) =>
      ws.send(
        JSON.stringify({ ...rpc(read.method, read.params(task)), ...signed(bearer({ expired: true })) }),
      ),
    ),
    // As if compression had been agreed to: RSV1 is set (RFC 7692 section 6).
    compressedBomb: at((ws) => socketOf(ws).write(maskedFrame(0xc1, BOMB))),
    politeEnd: at(async (ws, task) => {
      await reads(ws, task);
      socketOf(ws).end();
    }),
  };
}

const socketOf = (ws: WebSocket): Socket => (ws as unknown as { _socket: Socket })._socket;

/** With a mask of zeros, which changes nothing. */
function maskedFrame(first: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(14);
  head[0] = first;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

const parameters = (token: string) => ({
  serviceParameters: { 'A2A-Version': '1.0', 'A2A-Extensions': EXT, Authorization: `Bearer ${token}` },
});

export const BAD: Record<Spoken, BadInputs> = {
  JSONRPC: {
    ...overHttp('/', { body: JSON.stringify(rpc('Nothing', {})) }, (task) => [
      'POST /',
      JSON.stringify(rpc('SubscribeToTask', { id: task })),
    ]),
    // Each request has its own answer: an id is the client's own, and two of one are two requests.
    async reusedId(rig, task) {
      const ask = () => rig.ask({ body: JSON.stringify(rpc('GetTask', { id: task }, 's')) });
      return (await Promise.all([ask(), ask()]))
        .map(({ json }) => `${json.id}: ${'result' in json}`)
        .join(', ');
    },
  },
  'HTTP+JSON': {
    ...overHttp('/message:send', { path: '/nothing', body: '{}' }, (task) => [
      `GET /tasks/${task}:subscribe`,
      '',
    ]),
    reusedId: undefined,
  },
  WSS: overWebSocket('oab.a2a.v1', { method: 'SubscribeToTask', params: (id) => ({ id }) }, parameters),
  OAB: overWebSocket(
    'oab.delegation.v1',
    { method: 'events', params: (task_id) => ({ task_id, cursor: '0' }) },
    (token) => ({ token }),
  ),
};
