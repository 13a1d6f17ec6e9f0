import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as netConnect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RelayBench, ROUTE } from './testing/bench.js';
import { connectThrough } from './through-relay.js';

/** Shorter than any grace that somebody gets who gives up a connection himself. */
const AT_ONCE_MS = 4000;

describe('a tunnel that dies', () => {
  for (const transport of ['connect', 'websocket'] as const)
    it(`takes every connection in it with it, at once and half-closed ones too (${transport})`, async () => {
      const bench = await RelayBench.open();
      const [host = '', port = ''] = bench.relay.address.split(':');
      const sockets: Socket[] = [];
      const hop = createServer((near) => {
        const far = netConnect(Number(port), host);
        for (const socket of [near, far]) socket.on('error', () => {});
        near.pipe(far).pipe(near);
        sockets.push(near, far);
      }).listen(0, '127.0.0.1');
      await once(hop, 'listening');
      try {
        const accepted: Duplex[] = [];
        const tunnel = bench.tunnel({
          connect: `127.0.0.1:${(hop.address() as AddressInfo).port}`,
          onConnection: (connection) => void accepted.push(connection.on('error', () => {})),
        });
        await tunnel.up;
        const ways: Duplex[] = [];
        for (let made = 0; made < 10; made += 1) {
          const way = await connectThrough(bench.target({ transport }), ROUTE, 5000);
          way.on('error', () => {}).resume();
          ways.push(way);
          if (made % 2 === 0) way.write('question');
          else way.end('question');
        }
        while (accepted.length < ways.length) await new Promise((resolve) => setImmediate(resolve));
        const gone = (end: Duplex) => new Promise<void>((resolve) => end.once('close', resolve));
        const closed = Promise.all([...ways, ...accepted].map(gone));
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise((_, reject) => {
          timer = setTimeout(() => reject(new Error('not at once')), AT_ONCE_MS);
        });
        for (const socket of sockets) socket.resetAndDestroy();
        await Promise.race([closed, late]);
        clearTimeout(timer);
        assert.ok(accepted.every(({ errored }) => errored !== null));
      } finally {
        await bench.close();
        hop.close();
      }
    });
});
