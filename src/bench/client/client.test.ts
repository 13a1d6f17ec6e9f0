import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { newKey } from '../../identity/new-key.js';
import { Connection } from './connection.js';
import { FrameConnection } from './frame-connection.js';
import { ourRequests, stockRequests } from './requests.js';
import { EventStream } from './stream.js';

const PLAN = { say: 'status', count: 0, bytes: 0 } as const;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

async function portOf(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('a connection of the benchmark', () => {
  let server: Server;
  afterEach(() => server.close());

  it('gives back each body, of a request that an HTTP server takes', async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const { method } = JSON.parse(text) as { method: string };
      const answer = `${method} ${request.headers.authorization ?? 'nobody'} `.repeat(9000);
      response.writeHead(200, { 'content-length': Buffer.byteLength(answer) }).end(answer);
    });
    const connection = await Connection.open(await portOf(server));
    const ours = ourRequests(newKey(Date.now()));
    assert.match((await connection.exchange(ours.create(PLAN))).toString(), /^SendMessage Bearer ey/);
    assert.match((await connection.exchange(stockRequests.get('t'))).toString(), /GetTask nobody $/);
    connection.close();
  });

  it('rejects an answer that is no 200', async () => {
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(503, { 'content-length': 0 }).end();
    });
    const connection = await Connection.open(await portOf(server));
    await assert.rejects(connection.exchange(stockRequests.get('t')), /503/);
  });
});

describe('a stream of the benchmark', () => {
  let server: NetServer;
  afterEach(() => server.close());

  /** A server that writes these pieces, each once the one before was read. */
  async function streamOf(pieces: string[], done: (socket: Socket) => void = () => {}): Promise<EventStream> {
    server = createNetServer({ noDelay: true }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', async () => {
        for (const piece of pieces) {
          await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
          await new Promise((resolve) => setImmediate(resolve));
        }
        done(socket);
      });
    });
    return EventStream.open(await portOf(server), stockRequests.subscribe('t'));
  }

  it('counts each event once, wherever the reads cut it, and sees the last chunk', async () => {
    const stream = await streamOf([HEAD, 'c\r\ndata: {}\n', '\n', 'data: {}\n\n\r\n0\r\n', '\r\n']);
    await stream.ended(2);
    assert.equal(stream.events, 2);
  });

  it('rejects who waits for more events than came', async () => {
    const stream = await streamOf([HEAD, 'data: {}\n\n'], (socket) => socket.end());
    await stream.reached(1);
    await assert.rejects(stream.reached(2), /ended after 1 events/);
  });

  it('rejects what is no event stream', async () => {
    const stream = await streamOf(['HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}']);
    await assert.rejects(stream.reached(1), /no event stream/);
  });
});

describe('a stream in frames', () => {
  const HEAD_101 = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
  const frameOf = (json: unknown) => {
    const text = Buffer.from(JSON.stringify(json));
    const head = text.length < 126 ? [0x81, text.length] : [0x81, 126, text.length >> 8, text.length & 0xff];
    return Buffer.concat([Buffer.from(head), text]);
  };
  const item = (result: unknown) => frameOf({ jsonrpc: '2.0', id: 1, result });
  const end = frameOf({ jsonrpc: '2.0', method: '$/streamEnd', params: { id: 1, reason: 'complete' } });
  let server: NetServer;
  afterEach(() => server.close());
  const counted = async (all: Buffer, piece: number) => {
    server = createNetServer({ noDelay: true }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', async () => {
        for (let at = 0; at < all.length; at += piece) {
          socket.write(all.subarray(at, at + piece));
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.end();
      });
    });
    const connection = await FrameConnection.open(await portOf(server), Buffer.from('GET'));
    return connection.items(Buffer.alloc(0));
  };

  it('counts each item once, wherever the reads cut it, pings aside', async () => {
    const ping = Buffer.from([0x89, 0]);
    const all = Buffer.concat([Buffer.from(HEAD_101), item('x'.repeat(300)), ping, item(2), end]);
    for (const piece of [1, 7, all.length]) {
      assert.equal(await counted(all, piece), 2);
      server.close();
    }
  });

  it('rejects what ends before its end frame, and what is no WebSocket', async () => {
    await assert.rejects(counted(Buffer.concat([Buffer.from(HEAD_101), item(1)]), 1000), /after 1 items/);
    server.close();
    await assert.rejects(
      counted(Buffer.from('HTTP/1.1 401 No\r\n\r\n'), 1000),
      /no WebSocket: HTTP\/1.1 401/,
    );
  });
});
