import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { randomFor } from '../seed.js';
import type { Address, CutKind, Tap } from './ports.js';
import { openTap } from './tap.js';

/** A server that sends `reply` once it has been asked, then ends when told so. */
async function serve(handler: (socket: Socket) => void): Promise<{ address: Address; server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    handler(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  return { address: { host: address, port }, server };
}

/** Everything that arrives until the connection ends, and how it ended. */
async function collect(socket: Socket): Promise<{ bytes: Buffer; end: string }> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const end = await new Promise<string>((resolve) => {
    socket.once('end', () => resolve('fin'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
  });
  return { bytes: Buffer.concat(chunks), end };
}

describe('the tap', () => {
  const open: { tap?: Tap; server?: Server; sockets: Socket[] } = { sockets: [] };
  afterEach(async () => {
    for (const socket of open.sockets.splice(0)) socket.destroy();
    await open.tap?.close();
    open.server?.close();
  });
  const through = async (handler: (socket: Socket) => void) => {
    const { address, server } = await serve(handler);
    open.server = server;
    open.tap = await openTap(address);
    return open.tap;
  };
  const dial = (tap: Tap): Socket => {
    const socket = createConnection({ ...tap.address, allowHalfOpen: true });
    open.sockets.push(socket);
    return socket;
  };

  it('passes every byte, both ways, however it is cut into chunks', async () => {
    const tap = await through((socket) => socket.pipe(socket));
    const random = randomFor({ seed: '1', case: 'tap' });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(70_000), { minLength: 1, maxLength: 8 }), async (sizes) => {
        const socket = dial(tap);
        const sent = createHash('sha256');
        for (const size of sizes) {
          const chunk = random.bytes(size);
          sent.update(chunk);
          socket.write(chunk);
        }
        socket.end();
        const { bytes, end } = await collect(socket);
        assert.equal(end, 'fin');
        assert.equal(createHash('sha256').update(bytes).digest('hex'), sent.digest('hex'));
      }),
      { numRuns: 15 },
    );
  });

  for (const [kind, ending] of [
    ['reset', 'ECONNRESET'],
    ['fin', 'fin'],
    ['half-close', 'fin'],
  ] as [CutKind, string][]) {
    it(`cuts by ${kind} at exactly the byte that was asked for`, async () => {
      const tap = await through((socket) =>
        socket.once('data', () => socket.write(Buffer.alloc(10_000, 'x'))),
      );
      for (const byte of [1, 2, 999, 4096, 9_999]) {
        const cut = tap.arm({ kind, direction: 'downstream', at: { byte } });
        const socket = dial(tap);
        socket.write('go');
        const { bytes, end } = await collect(socket);
        assert.equal(await cut.verify(5000), true);
        assert.deepEqual([bytes.length, end], [byte, ending], `byte ${byte}`);
        assert.equal(cut.report?.delivered, byte);
      }
    });
  }

  it('cuts behind the k-th event of a chunked event stream', async () => {
    const event = (n: number) => `data: ${n}\n\n`;
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const body = [event(1), ':\n\n', event(2).slice(0, 4), event(2).slice(4) + event(3), event(4)]
      .map(chunk)
      .join('');
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    const tap = await through((socket) => socket.once('data', () => socket.write(`${head}${body}`)));
    for (const [frame, last] of [
      [1, 'data: 1\n\n'],
      // Cut into two chunks by the sender.
      [2, ': 2\n\n'],
      [3, 'data: 3\n\n'],
    ] as const) {
      const cut = tap.arm({ kind: 'fin', direction: 'downstream', at: { frame, framer: 'sse' } });
      const socket = dial(tap);
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      const { bytes } = await collect(socket);
      assert.equal(await cut.verify(5000), true);
      assert.ok(bytes.toString().endsWith(last), JSON.stringify(bytes.toString().slice(-20)));
    }
  });

  it('is silent without an end, and gives everything back when the silence is lifted', async () => {
    const tap = await through((socket) => socket.once('data', () => socket.end(Buffer.alloc(5000, 'y'))));
    const cut = tap.arm({ kind: 'silence', direction: 'downstream', at: { byte: 100 } });
    const socket = dial(tap);
    socket.write('go');
    const collected = collect(socket);
    assert.equal(await cut.verify(5000), true);
    assert.equal(cut.report?.delivered, 100);
    cut.clear();
    assert.deepEqual(await collected.then(({ bytes, end }) => [bytes.length, end]), [5000, 'fin']);
  });

  it('says that a cut did not take when it never came to it', async () => {
    const tap = await through((socket) => socket.once('data', () => socket.end('short')));
    const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { byte: 1000 } });
    const socket = dial(tap);
    socket.write('go');
    await collect(socket);
    assert.equal(await cut.verify(200), false);
  });
});
