import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { randomFor } from '../seed.js';
import { until, within } from './deadline.js';
import type { Tap } from './ports.js';
import { type Seen, send, socketBench, watch } from './testing/socket-bench.js';

const DEADLINE = 10_000;

describe('a splice', () => {
  const { serve, tapTo, dial, taps, clear } = socketBench();
  afterEach(clear);

  /** A server that sends `text` at once and reads for ever. */
  const speaker = (text: Buffer) => serve((socket) => void socket.resume().write(text));

  it('loses nothing in either direction, whatever the chunks, and passes half-closes on', async () => {
    for (let index = 0; index < 12; index += 1) {
      const random = randomFor({ seed: 'tap', case: 'lossless', index });
      const up = random.bytes(random.int(0, 700_000));
      const down = random.bytes(random.int(0, 700_000));
      const inbound = new Promise<Seen>((resolve) => {
        void serve((socket) => {
          const seen = watch(socket);
          resolve(seen);
          void send(socket, down, random);
        }).then(async (address) => {
          const client = dial((await tapTo(address, { record_bytes: 64 * 1024 })).address);
          clients.push(watch(client));
          void send(client, up, random);
        });
      });
      const clients: Seen[] = [];
      const server = await within(inbound, DEADLINE, 'a connection');
      const client = clients[0] as Seen;
      assert.deepEqual(await within(Promise.all([client.ended, server.ended]), DEADLINE, 'both ends'), [
        'fin',
        'fin',
      ]);
      const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
      assert.equal(digest(server.bytes()), digest(up));
      assert.equal(digest(client.bytes()), digest(down));
      const connection = taps.at(-1)?.connections[0];
      assert.deepEqual(connection?.delivered, { upstream: up.length, downstream: down.length });
      await within(connection.closed, DEADLINE, 'the splice to close');
    }
  });

  it('lets the client go on sending after the server has half-closed', async () => {
    let heard: Seen | undefined;
    const tap = await tapTo(
      await serve((socket) => {
        heard = watch(socket);
        socket.end('bye');
      }),
    );
    const client = watch(dial(tap.address));
    assert.equal(await within(client.ended, DEADLINE, 'the FIN'), 'fin');
    client.socket.end('still here');
    await until(() => heard?.bytes().toString() === 'still here', { ms: DEADLINE, what: 'the late bytes' });
  });

  it('holds a fast sender back while the receiver does not read, one way and the other', async () => {
    for (const direction of ['downstream', 'upstream'] as const) {
      const far = new Promise<Socket>(
        (resolve) => void serve(resolve).then(async (a) => opened(await tapTo(a))),
      );
      let near: Socket | undefined;
      const opened = (tap: Tap) => {
        near = dial(tap.address);
      };
      const server = await within(far, DEADLINE, 'a connection');
      const [sender, receiver] =
        direction === 'downstream' ? [server, near as Socket] : [near as Socket, server];
      receiver.pause();
      const block = Buffer.alloc(256 * 1024);
      let sent = 0;
      while (sent < 256 && sender.write(block)) sent += 1;
      // Every buffer on the way is finite: the sender must be told to wait long before 64 MiB have gone.
      for (; sent < 256; sent += 1) {
        sender.write(block);
        const moved = await Promise.race([
          new Promise<true>((resolve) => sender.once('drain', () => resolve(true))),
          new Promise<false>((resolve) => setTimeout(() => resolve(false), 300)),
        ]);
        if (!moved) break;
      }
      assert.ok(sent < 256, 'the tap swallowed 64 MiB that nobody read');
      const total = sender.bytesWritten + sender.writableLength;
      let read = 0;
      receiver.on('data', (chunk: Buffer) => {
        read += chunk.length;
      });
      receiver.resume();
      await until(() => read >= total - sender.writableLength && sender.writableLength === 0, {
        ms: DEADLINE,
        what: 'everything to arrive once the receiver reads',
      });
    }
  });

  it('passes a reset on, both ways, and a refusal as one', async () => {
    let far: Seen | undefined;
    const tap = await tapTo(
      await serve((socket) => {
        far = watch(socket);
        socket.write('hi', () => far?.socket.once('data', () => socket.resetAndDestroy()));
      }),
    );
    const client = watch(dial(tap.address));
    client.socket.write('now');
    assert.equal(await within(client.ended, DEADLINE, 'the reset'), 'ECONNRESET');
    assert.equal(client.bytes().toString(), 'hi');
    assert.equal(tap.connections[0]?.ended.downstream, 'reset');
    const again = watch(dial(tap.address));
    await until(() => again.bytes().length === 2, { ms: DEADLINE, what: 'a greeting' });
    again.socket.resetAndDestroy();
    assert.equal(await within((far as unknown as Seen).ended, DEADLINE, 'the reset'), 'ECONNRESET');
    const nowhere = await tapTo({ host: '127.0.0.1', port: 1 });
    assert.equal(await within(watch(dial(nowhere.address)).ended, DEADLINE, 'a refusal'), 'ECONNRESET');
    assert.equal(nowhere.connections[0]?.ended.downstream, 'refused');
  });

  it('records time, place and bytes within its bound, and prints no secret, even one split over two reads', async () => {
    const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(30)}.${'c'.repeat(40)}`;
    const heard: Seen[] = [];
    const tap = await tapTo(await serve((socket) => heard.push(watch(socket))));
    const client = dial(tap.address);
    const request = `GET / HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n\u001b[31m`;
    for (const part of [request.slice(0, 50), request.slice(50)]) {
      const before = tap.connections[0]?.received.upstream ?? 0;
      client.write(part);
      await until(() => (tap.connections[0]?.received.upstream ?? 0) > before, {
        ms: DEADLINE,
        what: 'a part',
      });
    }
    const connection = await tap.connection(0);
    assert.equal(connection.recorded('upstream').toString(), request);
    assert.deepEqual(
      connection.wire.map(({ offset, length, direction }) => [offset, length, direction]),
      [
        [0, 50, 'upstream'],
        [50, request.length - 50, 'upstream'],
      ],
    );
    const text = tap.transcript();
    assert.ok(!text.includes('bbbbbb') && !text.includes('\u001b'), text);
    assert.match(text, /GET \/ HTTP\/1\.1/);

    const small = await tapTo(await speaker(Buffer.alloc(500_000, 'y')), { record_bytes: 100_000 });
    const reader = watch(dial(small.address));
    await until(() => reader.bytes().length === 500_000, { ms: DEADLINE, what: 'all bytes' });
    const kept = (await small.connection(0)).recorded('downstream').length;
    assert.ok(kept > 0 && kept <= 200_000, `${kept} bytes kept`);
    assert.equal(
      (await small.connection(0)).wire.reduce((sum, { length }) => sum + length, 0),
      500_000,
    );
  });
});
