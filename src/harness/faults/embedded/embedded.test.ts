import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { Injector, InjectorProxy } from '../injector.js';
import { findServer } from '../open-injector.js';
import { startToxiproxy } from '../toxiproxy/start-toxiproxy.js';
import { openEmbedded } from './open-embedded.js';

/** The stand-in always; the real server wherever set-up could build it: what one shows the other must show. */
const real = findServer();
const injectors: [string, () => Promise<Injector>][] = [
  ['embedded', () => openEmbedded()],
  ...(real === undefined
    ? []
    : [['toxiproxy', () => startToxiproxy(real)] as [string, () => Promise<Injector>]]),
];

for (const [name, open] of injectors) {
  describe(`the fault injector: ${name}`, () => {
    let injector: Injector;
    let proxy: InjectorProxy;
    const sockets: Socket[] = [];
    before(async () => {
      injector = await open();
    });
    after(() => injector.close());
    beforeEach(async () => {
      proxy = await injector.createProxy('test', injector.echo);
    });
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await proxy.remove();
    });

    const dial = async (): Promise<Socket> => {
      const socket = createConnection(proxy.address);
      sockets.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    /** Bytes that come back for what is sent, until `count` are there or the connection ends. */
    const echo = (socket: Socket, data: Buffer, count = data.length) =>
      new Promise<{ bytes: number; end: string; ms: number }>((resolve) => {
        const started = performance.now();
        let bytes = 0;
        const done = (end: string) => resolve({ bytes, end, ms: performance.now() - started });
        socket.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes >= count) done('open');
        });
        socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'));
        socket.once('end', () => done('fin'));
        socket.write(data);
      });
    const kib = Buffer.alloc(1024, 'z');

    it('passes everything when nothing is on it', async () => {
      const big = Buffer.alloc(1024 * 1024, 'b');
      assert.deepEqual(await echo(await dial(), big).then(({ bytes, end }) => [bytes, end]), [
        big.length,
        'open',
      ]);
    });

    it('delays, and no more once it is removed', async () => {
      const toxic = await proxy.addToxic({ type: 'latency', attributes: { latency: 300 } });
      assert.deepEqual((await proxy.state()).toxics, [toxic.name]);
      const socket = await dial();
      const slow = await echo(socket, kib);
      await toxic.remove();
      socket.removeAllListeners('data');
      const fast = await echo(socket, kib);
      assert.ok(slow.ms > 4 * fast.ms, `${slow.ms} against ${fast.ms}`);
    });

    it('closes behind exactly the bytes of limit_data', async () => {
      await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 700 } });
      assert.deepEqual(await echo(await dial(), kib).then(({ bytes, end }) => [bytes, end]), [700, 'fin']);
    });

    it('resets', async () => {
      await proxy.addToxic({ type: 'reset_peer', attributes: { timeout: 0 } });
      const { bytes, end } = await echo(await dial(), kib);
      assert.deepEqual([bytes, end], [0, 'ECONNRESET']);
    });

    it('swallows, and closes when the black hole is removed', async () => {
      const socket = await dial();
      await echo(socket, kib);
      socket.removeAllListeners('data');
      const toxic = await proxy.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
      const answer = echo(socket, kib);
      await toxic.remove();
      const { bytes, end } = await answer;
      assert.equal(bytes, 0);
      assert.ok(end === 'fin' || end === 'ECONNRESET', end);
    });

    it('goes down with its connections, and comes back at the same address', async () => {
      const socket = await dial();
      await echo(socket, kib);
      const ended = once(socket, 'close');
      socket.resume();
      await proxy.enable(false);
      await ended;
      assert.equal((await proxy.state()).enabled, false);
      await assert.rejects(dial());
      await proxy.enable(true);
      assert.equal((await echo(await dial(), kib)).bytes, 1024);
    });

    it('slices and limits the rate without losing a byte', async () => {
      await proxy.addToxic({
        type: 'slicer',
        attributes: { average_size: 100, size_variation: 50, delay: 10 },
      });
      await proxy.addToxic({ type: 'bandwidth', direction: 'upstream', attributes: { rate: 100 } });
      assert.equal((await echo(await dial(), Buffer.alloc(8192, 's'))).bytes, 8192);
    });
  });
}
