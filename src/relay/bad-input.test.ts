import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as netConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { KeyState } from '../identity/ports.js';
import { RelayRefused } from './dial-websocket.js';
import { keyOf, peerOf, RelayBench, ROUTE, tokenOf } from './testing/bench.js';

describe('bad input at the relay', () => {
  let bench: RelayBench;
  afterEach(() => bench.close());

  const dialled = () => {
    const [host = '', port = ''] = bench.relay.address.split(':');
    return tlsConnect({
      host,
      port: Number(port),
      servername: 'relay-1.lab',
      ca: readFileSync(bench.authority.ca),
    });
  };
  const say = async (lines: string): Promise<string> => {
    const socket = dialled();
    if (lines !== '') socket.write(lines);
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString();
    return text;
  };
  const asked = (more: string) =>
    `CONNECT ${ROUTE} HTTP/1.1\r\nHost: ${ROUTE}\r\nProxy-Authorization: Bearer ${tokenOf('gate')}\r\n${more}\r\n`;
  const upgrade = (more: string, kind: 'connect' | 'tunnel' = 'connect', peer = 'gate') =>
    `GET /${kind}/${encodeURIComponent(ROUTE)} HTTP/1.1\r\nHost: relay-1.lab\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: oab.${kind}.v1\r\n` +
    `Authorization: Bearer ${tokenOf(peer)}\r\n${more}\r\n`;

  it('refuses what has a body where there can be none, and what is no HTTP; each is counted', async () => {
    let reached = 0;
    bench = await RelayBench.open();
    await bench.tunnel({
      onConnection(connection) {
        reached += 1;
        connection.destroy();
      },
    }).up;
    const bad = [
      asked('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
      asked('Content-Length: 5\r\n'),
      asked('Transfer-Encoding: chunked\r\n'),
      upgrade('Content-Length: 5\r\n'),
      upgrade('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
      'what is this\r\n\r\n',
      asked(`X: ${'x'.repeat(20_000)}\r\n`),
    ];
    for (const lines of bad) assert.match(await say(lines), /^HTTP\/1\.1 400 /, lines.slice(0, 200));
    assert.equal(bench.relay.counts().refused.malformed, bad.length);
    assert.equal(reached, 0);
  });

  it('does not wait for a client that says nothing, before TLS or after, and serves the others meanwhile', async () => {
    bench = await RelayBench.open(undefined, {
      timeouts: { headersTimeout: 300, handshakeTimeout: 300 },
    });
    await bench.tunnel().up;
    const [host = '', port = ''] = bench.relay.address.split(':');
    const mute = netConnect({ host, port: Number(port) });
    const gone = once(mute, 'close');
    const silent = say('');
    const socket = await bench.connection();
    assert.match(await silent, /^HTTP\/1\.1 408 /);
    await gone;
    assert.equal((await bench.answer(bench.ask(socket))).text, 'hello');
    const { silent: afterTls, handshake } = bench.relay.counts().refused;
    assert.deepEqual([afterTls, handshake], [1, 1]);
  });

  it('says 503 while it drains, also to executors, and what is under way goes on', async () => {
    bench = await RelayBench.open();
    await bench.tunnel().up;
    const socket = await bench.connection();
    const closed = bench.relay.close(20_000);
    await assert.rejects(bench.connection(), { status: 503 });
    for (const lines of [asked(''), upgrade(''), upgrade('', 'tunnel', 'oab-b')])
      assert.match(await say(lines), /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
    assert.equal((await bench.answer(bench.ask(socket))).text, 'hello');
    socket.destroy();
    await closed;
    await assert.rejects(bench.connection(), { code: 'ECONNREFUSED' });
  });

  it('refuses an expired certificate, on either side', async () => {
    const trusted = { certificate: { capabilities: [] } };
    bench = await RelayBench.open(undefined, {
      executors: [{ peer: 'oab-b', routes: [ROUTE], ...trusted }],
      coordinators: [{ peer: 'gate', routes: [ROUTE], ...trusted }],
    });
    const own = async (name: string, uri: string, notAfter?: Date) => {
      const issued = await bench.authority.issue(name, {
        uris: [uri],
        ...(notAfter === undefined ? {} : { notAfter }),
      });
      const [ca, cert, key] = [bench.authority.ca, issued.cert, issued.key].map((path) =>
        readFileSync(path, 'utf8'),
      ) as [string, string, string];
      return { tls: () => ({ ca, cert, key }), credentials: () => undefined };
    };
    const past = new Date(Date.now() - 1000);
    const late = await own('oab-b-late', 'oab:oab-b', past);
    const good = await own('oab-b-good', 'oab:oab-b');
    const target = { url: 'wss://relay-1.lab/', connect: bench.relay.address, route: ROUTE };
    bench.tunnel({ target: { ...target, ...late } });
    while ((bench.relay.counts().refused.credentials ?? 0) < 1)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(bench.relay.counts().tunnels, 0);
    await bench.tunnel({ target: { ...target, ...good } }).up;
    await assert.rejects(bench.connection(bench.target(await own('gate-late', 'oab:gate', past))), {
      status: 407,
    });
    await assert.rejects(
      bench.connection(
        bench.target({ transport: 'websocket', ...(await own('gate-old', 'oab:gate', past)) }),
      ),
      { status: 401 },
    );
    for (const transport of ['connect', 'websocket'] as const) {
      const socket = await bench.connection(bench.target({ transport, ...(await own('gate', 'oab:gate')) }));
      assert.equal((await bench.answer(bench.ask(socket))).text, 'hello');
    }
  });

  it('ends what a revoked key opened, tunnel or way, and nothing else; also where certificates count too', async () => {
    const states: Record<string, KeyState> = {};
    const revocable = (peer: string) => {
      const { tokens, ...rest } = peerOf(peer, [ROUTE]);
      const find = (kid: string) => {
        const found = tokens?.find(kid);
        return found && { ...found, state: states[peer] ?? found.state };
      };
      return { ...rest, tokens: { find, publicJwks: () => [] }, certificate: { capabilities: [] } };
    };
    keyOf('gate-two');
    bench = await RelayBench.open(undefined, {
      executors: [revocable('oab-b')],
      coordinators: ['gate', 'gate-two'].map(revocable),
    });
    await bench.tunnel().up;
    const socket = await bench.connection();
    const other = await bench.connection(bench.target({ credentials: () => tokenOf('gate-two') }));
    socket.on('error', () => {});
    states.gate = 'retired';
    bench.relay.recheck();
    assert.equal((await bench.answer(bench.ask(socket))).text, 'hello');
    states.gate = 'revoked';
    bench.relay.recheck();
    await once(socket, 'close');
    assert.equal((await bench.answer(bench.ask(other))).text, 'hello');
    await assert.rejects(bench.connection(), { status: 407 });
    other.on('error', () => {});
    states['oab-b'] = 'revoked';
    bench.relay.recheck();
    await once(other, 'close');
    while (bench.relay.counts().tunnels > 0) await new Promise((resolve) => setImmediate(resolve));
    // It comes again and again, and is told so each time.
    while ((bench.relay.counts().refused.credentials ?? 0) < 2)
      await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(
      bench.connection(bench.target({ credentials: () => tokenOf('gate-two') })),
      (error: Error) => error instanceof RelayRefused && error.status === 503,
    );
  });
});
