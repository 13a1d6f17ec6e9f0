import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { MuxSocket } from './mux-socket.js';
import { sessionOptions } from './windows.js';

describe('a connection inside a tunnel', () => {
  let server: Http2Server;
  let session: ClientHttp2Session;
  let accepted: MuxSocket[];
  let connection: Socket;

  beforeEach(async () => {
    accepted = [];
    server = createServer(sessionOptions(64 * 1024, 5000));
    server.on('stream', (stream) => {
      if (stream.destroyed) return;
      stream.on('error', () => {});
      stream.respond({ ':status': 200 });
      const socket = new MuxSocket(stream);
      socket.on('error', () => {});
      accepted.push(socket);
    });
    server.on('connection', (socket: Socket) => {
      connection = socket;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    session = connect(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      sessionOptions(64 * 1024, 5000),
    );
    session.on('error', () => {});
    await once(session, 'connect');
  });
  afterEach(() => {
    session.destroy();
    server.close();
  });

  const open = () =>
    new MuxSocket(session.request({ ':method': 'CONNECT', ':authority': 'a:1' }, { endStream: false })).on(
      'error',
      () => {},
    );
  const textOf = async (socket: MuxSocket) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(socket, 'end');
    return text;
  };
  const acceptedOne = async () => {
    while (accepted.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return accepted[0] as MuxSocket;
  };

  it('carries half-closes both ways', async () => {
    const here = open();
    here.end('question');
    const there = await acceptedOne();
    assert.equal(await textOf(there), 'question');
    there.end('answer');
    assert.equal(await textOf(here), 'answer');
  });

  it('ends with an error, not in order, when the tunnel is lost', async () => {
    const here = open();
    here.write('x');
    const there = await acceptedOne();
    there.write('y');
    await once(here, 'data');
    const [lost, end] = [once(here, 'error'), once(here, 'end').then(() => 'end')];
    session.destroy();
    assert.notEqual(await Promise.race([lost, end]), 'end');
  });

  it('ends with an error when the tunnel is lost behind our own end', async () => {
    const here = open();
    here.end('question');
    const there = await acceptedOne();
    await textOf(there);
    there.write('half an answer');
    await once(here, 'data');
    const [lost, end] = [once(here, 'error'), once(here, 'end').then(() => 'end')];
    connection.destroy();
    assert.notEqual(await Promise.race([lost, end]), 'end');
  });

  it('keeps what came last for a reader that is slow, though both sides are done', async () => {
    const here = open();
    here.end('question');
    const there = await acceptedOne();
    await textOf(there);
    there.end(Buffer.alloc(10_000, 'a'));
    await once(there, 'close');
    assert.equal((await textOf(here)).length, 10_000);
    assert.deepEqual([here.errored, there.errored], [null, null]);
  });

  it('holds a writer back when the other side does not read (OPEN-29)', async () => {
    const here = open();
    const there = await acceptedOne();
    there.pause();
    let sent = 0;
    while (here.write(Buffer.alloc(16 * 1024))) sent += 16 * 1024;
    assert.ok(sent < 1024 * 1024, `${sent} bytes were taken`);
    there.on('data', () => {});
    there.resume();
    await once(here, 'drain');
  });

  it('is given up 3,000 times in a burst without costing the tunnel', async () => {
    for (let burst = 0; burst < 30; burst += 1) {
      const sockets = Array.from({ length: 100 }, open);
      for (const socket of sockets) socket.destroy();
      while (accepted.length < (burst + 1) * 100) await new Promise((resolve) => setImmediate(resolve));
      for (const socket of accepted.slice(burst * 100)) socket.destroy();
    }
    assert.equal(session.destroyed, false);
    const here = open();
    here.write('still there');
    while (accepted.length < 3001) await new Promise((resolve) => setImmediate(resolve));
  });
});
