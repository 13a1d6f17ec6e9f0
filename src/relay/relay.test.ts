import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { silentLog } from '../telemetry/log.js';
import { RelayRefused } from './dial-websocket.js';
import { RelayBench, ROUTE, tokenOf } from './testing/bench.js';
import { connectThrough } from './through-relay.js';

describe('the relay', () => {
  let bench: RelayBench;
  afterEach(() => bench.close());

  /** The bare answer of the relay to what a client writes. */
  const say = async (lines: string): Promise<string> => {
    const [host = '', port = ''] = bench.relay.address.split(':');
    const socket = tlsConnect({
      host,
      port: Number(port),
      servername: 'relay-1.lab',
      ca: readFileSync(bench.authority.ca),
    });
    socket.write(lines);
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString();
    return text;
  };
  const connectWith = (authority: string, token?: string) =>
    say(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${token === undefined ? '' : `Proxy-Authorization: Bearer ${token}\r\n`}\r\n`,
    );

  for (const transport of ['connect', 'websocket'] as const) {
    it(`carries TLS end to end, many requests over one connection (${transport})`, async () => {
      bench = await RelayBench.open((asked, response) => asked.pipe(response));
      await bench.tunnel().up;
      const socket = await bench.connection(bench.target({ transport }));
      assert.equal(socket.getProtocol(), 'TLSv1.3');
      for (const size of [0, 1, 5000, 3_000_000]) {
        const body = randomBytes(size).toString('latin1').slice(0, size);
        const { digest, status } = await bench.answer(bench.ask(socket, body));
        assert.deepEqual(
          [status, digest],
          [200, createHash('sha256').update(Buffer.from(body)).digest('hex')],
        );
      }
      assert.equal(bench.relay.counts().connections, 1);
    });
  }

  for (const transport of ['connect', 'websocket'] as const) {
    it(`passes an end of one side on, and the other side has all the time it wants (${transport})`, async () => {
      bench = await RelayBench.open();
      const taken = (onConnection: (connection: Duplex) => void) => bench.tunnel({ onConnection }).up;
      const large = randomBytes(3_000_000);
      await taken((connection) => {
        connection.resume();
        // Answers a client that has said all, which reads nothing for the time being.
        connection.once('end', () => connection.end(large));
      });
      const way = await connectThrough(bench.target({ transport }), ROUTE, 5000);
      way.end('question');
      await once(way, 'readable');
      const chunks: Buffer[] = [];
      for await (const chunk of way as AsyncIterable<Buffer>) chunks.push(chunk);
      assert.ok(Buffer.concat(chunks).equals(large));
    });
  }

  it('tells no coordinator more than it must', async () => {
    bench = await RelayBench.open();
    assert.match(await connectWith(ROUTE), /^HTTP\/1\.1 407 [\s\S]*Proxy-Authenticate: Bearer/);
    for (const bad of [
      tokenOf('oab-b'),
      tokenOf('gate', { relay: 'relay-2' }),
      tokenOf('gate', { lifetime: 301 }),
      'x.y.z',
    ])
      assert.match(await connectWith(ROUTE, bad), /^HTTP\/1\.1 407 /);
    const ungranted = await connectWith(ROUTE, tokenOf('gate-other'));
    const unknown = await connectWith('nowhere.lab:443', tokenOf('gate'));
    const odd = await connectWith('../etc', tokenOf('gate'));
    assert.match(ungranted, /^HTTP\/1\.1 403 /);
    assert.deepEqual([unknown, odd], [ungranted, ungranted]);
    assert.match(await connectWith(ROUTE, tokenOf('gate')), /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
    assert.match(
      await say('GET / HTTP/1.1\r\nHost: relay-1.lab\r\n\r\n'),
      /^HTTP\/1\.1 405 [\s\S]*Allow: CONNECT/i,
    );
    assert.match(
      await say('POST / HTTP/1.1\r\nHost: r\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n'),
      /^HTTP\/1\.1 400 /,
    );
    await assert.rejects(
      bench.connection(bench.target({ transport: 'websocket', credentials: () => 'x.y.z' })),
      {
        status: 401,
      },
    );
    const { refused } = bench.relay.counts();
    assert.deepEqual(
      [
        refused['proxy-credentials'],
        refused.forbidden,
        refused.unavailable,
        refused.method,
        refused.credentials,
      ],
      [5, 3, 1, 1, 1],
    );
  });

  it('takes a coordinator by certificate', async () => {
    bench = await RelayBench.open(undefined, {
      coordinators: [{ peer: 'gate', routes: [ROUTE], certificate: { capabilities: [] } }],
    });
    await bench.tunnel().up;
    const { cert, key } = await bench.authority.issue('gate', { uris: ['oab:gate'] });
    const tls = () => ({
      ca: readFileSync(bench.authority.ca, 'utf8'),
      cert: readFileSync(cert, 'utf8'),
      key: readFileSync(key, 'utf8'),
    });
    const socket = await bench.connection(bench.target({ tls, credentials: () => undefined }));
    assert.equal((await bench.answer(bench.ask(socket))).text, 'hello');
    await assert.rejects(bench.connection(bench.target({ credentials: () => undefined })), { status: 407 });
  });

  it('lets no executor register another’s route, nor anybody without a key', async () => {
    bench = await RelayBench.open();
    const refused: number[] = [];
    for (const [peer, route] of [
      ['oab-c', ROUTE],
      ['gate', ROUTE],
      ['oab-b', 'oab-c.lab:443'],
    ] as const) {
      const status = await new Promise<number>((resolve) => {
        const [host = '', port = ''] = bench.relay.address.split(':');
        const asked = request({
          host,
          port,
          servername: 'relay-1.lab',
          ca: readFileSync(bench.authority.ca),
          path: `/tunnel/${encodeURIComponent(route)}`,
          headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
            'sec-websocket-protocol': 'oab.tunnel.v1',
            authorization: `Bearer ${tokenOf(peer)}`,
          },
        });
        asked.on('response', ({ statusCode = 0 }) => resolve(statusCode));
        asked.on('upgrade', () => resolve(101));
        asked.end();
      });
      refused.push(status);
    }
    assert.deepEqual(refused, [403, 401, 403]);
    assert.equal(bench.relay.counts().tunnels, 0);
  });

  it('keeps a route whose replaced tunnel ends late, in any order, a hundred times', async () => {
    bench = await RelayBench.open();
    let last = bench.tunnel();
    await last.up;
    for (let flap = 0; flap < 100; flap += 1) {
      const next = bench.tunnel();
      await next.up;
      await last.close(0);
      last = next;
      // The late end has been noticed: only the successor is left, and it still leads somewhere.
      while (bench.relay.counts().tunnels > 1) await new Promise((resolve) => setImmediate(resolve));
      (await connectThrough(bench.target(), ROUTE, 5000)).destroy();
    }
    const socket = await bench.connection();
    assert.equal((await bench.answer(bench.ask(socket))).text, 'hello');
  });

  /** Two executors of one route; whom the ways lead to, and the first time that the older one comes back. */
  const rivals = async (ceilingMs: number) => {
    bench = await RelayBench.open();
    const reached: string[] = [];
    let ups = 0;
    let cameBack = () => {};
    const back = new Promise<void>((resolve) => {
      cameBack = resolve;
    });
    const info = () => {
      ups += 1;
      if (ups === 2) cameBack();
    };
    const rival = (name: string, ms: number, log = silentLog) =>
      bench.tunnel({
        reconnect: { floorMs: 1, ceilingMs: ms },
        log,
        onConnection(connection) {
          reached.push(name);
          connection.resume().end();
        },
      }).up;
    await rival('older', ceilingMs, { ...silentLog, info });
    await rival('newer', 60_000);
    const ask = async () => {
      const way = await connectThrough(bench.target(), ROUTE, 5000);
      way.resume().end();
      await once(way, 'close');
      return reached.at(-1);
    };
    return { ask, back };
  };

  it('leaves a route to the newer of two executors', async () => {
    const { ask } = await rivals(60_000);
    assert.deepEqual([await ask(), await ask(), await ask()], ['newer', 'newer', 'newer']);
    assert.equal(bench.relay.counts().refused.replaced, 1);
    assert.ok(bench.logged.includes('warn refused replaced'));
  });

  it('refuses nothing to an executor that renews its own tunnel', async () => {
    bench = await RelayBench.open();
    const tunnel = bench.tunnel();
    await tunnel.up;
    tunnel.renew();
    const replaced = () => bench.logged.find((line) => / replaced$/.test(line));
    while (replaced() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(replaced(), 'info replaced');
    assert.equal(bench.relay.counts().refused.replaced, undefined);
  });

  it('is asked for a route again by an executor that was replaced, after its longest wait', async () => {
    const { ask, back } = await rivals(5);
    await back;
    assert.equal(await ask(), 'older');
  });

  it('moves to a new tunnel without losing what is under way in the old one', async () => {
    const held: (() => void)[] = [];
    bench = await RelayBench.open((_, response) => {
      response.write('first ');
      held.push(() => response.end('last'));
    });
    const tunnel = bench.tunnel();
    await tunnel.up;
    const socket = await bench.connection();
    const asked = bench.ask(socket);
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
    let text = '';
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = once(response, 'end');
    await once(response, 'data');
    tunnel.renew();
    while (bench.relay.counts().tunnels < 2) await new Promise((resolve) => setImmediate(resolve));
    const second = await bench.connection();
    const other = bench.answer(bench.ask(second));
    while (held.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (const finish of held) finish();
    assert.equal((await other).text, 'first last');
    await ended;
    assert.equal(text, 'first last');
    socket.destroy();
    while (bench.relay.counts().tunnels > 1) await new Promise((resolve) => setImmediate(resolve));
  });

  it('comes back after a restart, and what was under way ends as cut, not as done', async () => {
    bench = await RelayBench.open((_, response) => void response.write('first '));
    await bench.tunnel().up;
    const socket = await bench.connection();
    const [response] = (await once(bench.ask(socket), 'response')) as [import('node:http').IncomingMessage];
    await once(response, 'data');
    const port = Number(bench.relay.address.split(':')[1]);
    const cut = new Promise<boolean>((resolve) => {
      response.on('error', () => {});
      response.on('close', () => resolve(response.complete));
    });
    await bench.relay.close(0);
    assert.equal(await cut, false);
    await bench.startRelay({}, port);
    let again: Awaited<ReturnType<RelayBench['connection']>> | undefined;
    while (again === undefined)
      again = await bench.connection().catch((error: Error) => {
        assert.ok(error instanceof RelayRefused, String(error));
        return undefined;
      });
    assert.ok(again.encrypted);
  });

  it('lets a reader that stops wait alone (OPEN-29)', async () => {
    const big = Buffer.alloc(8 * 1024 * 1024, 'x');
    bench = await RelayBench.open((asked, response) => response.end(asked.url === '/big' ? big : 'small'));
    await bench.tunnel().up;
    const slow = await bench.connection();
    slow.pause();
    slow.write('GET /big HTTP/1.1\r\nHost: oab-b.lab\r\n\r\n');
    const other = await bench.connection();
    for (let n = 0; n < 50; n += 1) assert.equal((await bench.answer(bench.ask(other))).text, 'small');
    let got = 0;
    slow.on('data', (chunk: Buffer) => {
      got += chunk.length;
    });
    slow.resume();
    while (got < big.length) await once(slow, 'data');
  });

  it('refuses beyond its limits, and takes again when there is room', async () => {
    bench = await RelayBench.open(undefined, {
      limits: { tunnels: 1, streams: 2, bufferBytes: 64 * 1024 },
    });
    await bench.tunnel().up;
    const [one] = [await bench.connection(), await bench.connection()];
    await assert.rejects(bench.connection(), { status: 503 });
    one?.destroy();
    let third: unknown;
    while (third === undefined)
      third = await bench.connection().catch((error: Error) => {
        assert.ok(error instanceof RelayRefused);
        return undefined;
      });
  });
});
