import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { randomFor } from '../seed.js';
import { until, within } from './deadline.js';
import type { CutKind } from './ports.js';
import { type Seen, socketBench, watch } from './testing/socket-bench.js';

const DEADLINE = 10_000;

describe('a cut', () => {
  const { serve, tapTo, dial, clear } = socketBench();
  afterEach(clear);

  /** A server that sends `text` at once and reads for ever. */
  const speaker = (text: Buffer) => serve((socket) => void socket.resume().write(text));

  const expectations: Record<Exclude<CutKind, 'silence' | 'silence-one-way'>, string> = {
    reset: 'ECONNRESET',
    fin: 'fin',
    'half-close': 'fin',
  };

  for (const [kind, end] of Object.entries(expectations) as [CutKind, string][]) {
    it(`cuts by ${kind} exactly behind byte N: all of them, and none beyond`, async () => {
      const text = randomFor({ seed: 'tap', case: kind }).bytes(200_000);
      const address = await speaker(text);
      const points = [0, 1, 2, 65_535, 65_536, 199_999, 200_000];
      await Promise.all(
        points.map(async (byte) => {
          const tap = await tapTo(address);
          const cut = tap.arm({ kind, direction: 'downstream', at: { byte } });
          const client = watch(dial(tap.address));
          assert.equal(await within(client.ended, DEADLINE, 'the cut'), end, `at ${byte}`);
          assert.deepEqual(client.bytes(), text.subarray(0, byte));
          assert.ok(await cut.verify(), `the cut at ${byte} was not exact`);
          assert.equal(cut.report?.delivered, byte);
        }),
      );
    });
  }

  it('resets only after a slow reader has got its bytes', async () => {
    const text = Buffer.alloc(3_000_000, 'x');
    const tap = await tapTo(await speaker(text));
    const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { byte: 2_900_000 } });
    const client = dial(tap.address);
    let read = 0;
    const end = new Promise<string | undefined>((resolve) =>
      client.once('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    );
    client.on('data', (chunk: Buffer) => {
      read += chunk.length;
      client.pause();
      setImmediate(() => client.resume());
    });
    assert.equal(await within(end, DEADLINE, 'the reset'), 'ECONNRESET');
    assert.equal(read, 2_900_000);
    assert.ok(await cut.verify());
  });

  it('cuts the request direction too, and tells the server', async () => {
    let heard: Seen | undefined;
    const address = await serve((socket) => {
      heard = watch(socket);
    });
    const tap = await tapTo(address);
    const cut = tap.arm({ kind: 'reset', direction: 'upstream', at: { byte: 5 } });
    dial(tap.address).write('hello world');
    assert.ok(await cut.verify());
    assert.equal(await within((heard as unknown as Seen).ended, DEADLINE, 'the reset'), 'ECONNRESET');
    assert.equal((heard as unknown as Seen).bytes().toString(), 'hello');
  });

  it('falls silent: no byte, no end, no close passes; lifted, nothing is lost', async () => {
    const speakers: Socket[] = [];
    const tap = await tapTo(
      await serve((socket) => {
        speakers.push(socket);
        socket.write('0123456789');
      }),
    );
    const cut = tap.arm({ kind: 'silence', direction: 'downstream', at: { byte: 4 } });
    const client = watch(dial(tap.address));
    assert.ok(await cut.verify());
    speakers[0]?.end('ABC');
    // Another connection through the same tap is not touched; once it is through, the silent one had its chance.
    const other = watch(dial(tap.address));
    await until(() => other.bytes().length === 10, { ms: DEADLINE, what: 'the other connection' });
    assert.equal(client.bytes().toString(), '0123');
    assert.equal(await Promise.race([client.ended, Promise.resolve('open')]), 'open');
    cut.clear();
    assert.equal(await within(client.ended, DEADLINE, 'the end that was held back'), 'fin');
    assert.equal(client.bytes().toString(), '0123456789ABC');
    assert.ok(await cut.verify());
  });

  it('half-close leaves the other direction open; one-way silence too', async () => {
    for (const kind of ['half-close', 'silence-one-way'] as const) {
      let heard: Seen | undefined;
      const tap = await tapTo(
        await serve((socket) => {
          heard = watch(socket);
          socket.write('0123456789');
        }),
      );
      const cut = tap.arm({ kind, direction: 'downstream', at: { byte: 3 } });
      const client = watch(dial(tap.address));
      assert.ok(await cut.verify());
      client.socket.write('more');
      await until(() => heard?.bytes().toString() === 'more', { ms: DEADLINE, what: 'the other direction' });
      assert.equal(client.bytes().toString(), '012');
    }
  });

  it('takes plans for a certain connection, a live one, and now', async () => {
    const tap = await tapTo(await speaker(Buffer.from('0123456789')));
    const second = tap.arm({ kind: 'reset', direction: 'downstream', at: { byte: 2 } }, 1);
    const a = watch(dial(tap.address));
    await until(() => a.bytes().length === 10, { ms: DEADLINE, what: 'a' });
    const other = watch(dial(tap.address));
    assert.equal(await within(other.ended, DEADLINE, 'the second'), 'ECONNRESET');
    assert.ok(await second.verify());
    assert.equal(tap.connections.length, 2);
    const live = await tap.connection(0);
    const late = live.cut({ kind: 'reset', direction: 'downstream', at: { byte: 4 } });
    assert.equal(await late.verify(), false, 'a cut behind us can not fall where it was planned');
    const exactlyHere = live.cut({ kind: 'half-close', direction: 'downstream', at: { byte: 10 } });
    assert.equal(await within(a.ended, DEADLINE, 'the half-close'), 'fin');
    assert.ok(await exactlyHere.verify());
    const third = watch(dial(tap.address));
    await until(() => third.bytes().length === 10, { ms: DEADLINE, what: 'the third' });
    const now = tap.connections[2]?.cut({ kind: 'reset', direction: 'upstream', at: 'now' });
    assert.equal(await within(third.ended, DEADLINE, 'now'), 'ECONNRESET');
    assert.ok(await now?.verify());
  });

  it('says false for a cut that did not happen, at once when the connection has gone', async () => {
    const tap = await tapTo(await speaker(Buffer.from('0123456789')));
    const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { byte: 11 } });
    const client = watch(dial(tap.address));
    await until(() => client.bytes().length === 10, { ms: DEADLINE, what: 'the bytes' });
    assert.equal(await cut.verify(20), false);
    client.socket.resetAndDestroy();
    assert.equal(await cut.verify(DEADLINE), false);
    const never = tap.arm({ kind: 'fin', direction: 'downstream', at: { byte: 1 } });
    never.clear();
    assert.equal(await never.verify(DEADLINE), false);
    const whole = watch(dial(tap.address));
    await until(() => whole.bytes().length === 10, { ms: DEADLINE, what: 'an undisturbed connection' });
    assert.throws(
      () => tap.arm({ kind: 'fin', direction: 'downstream', at: { frame: 0, framer: 'raw' } }),
      RangeError,
    );
  });
});
