/** Bad bytes, bad frames, bad ends: a close that names what was wrong, a task that goes on, and a way back to it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import { CONFIG, requestOf } from '../../executor/testing/harness.js';
import { messageFromRequest } from '../../profile/message.js';
import { requestDigest } from '../../profile/request.js';
import { bearer, NEGOTIATED, openRig, type RawConnection } from './testing/rig.js';

type Json = Record<string, unknown>;

describe('the bounds of the A2A binding over WebSocket', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  let connection: RawConnection;
  beforeEach(async () => {
    rig = await openRig({ heartbeatMs: 200 });
    connection = await rig.connect();
  });
  afterEach(() => rig.close());

  /** A running task that this connection reads. */
  const reading = async () => {
    const { request } = requestOf({ task: 'hold 3', budget: { max_output_bytes: 10_000 } });
    const params = { message: messageFromRequest(request) };
    connection.send({
      jsonrpc: '2.0',
      id: 's',
      method: 'SendStreamingMessage',
      params,
      serviceParameters: {
        ...NEGOTIATED,
        Authorization: `Bearer ${bearer({ req: requestDigest(request) })}`,
      },
    });
    const { result } = await connection.next(({ id }) => id === 's');
    return String((result as { task: Json }).task.id);
  };
  const closing = (one: RawConnection) =>
    once(one.ws, 'close').then(([code, reason]) => [code, String(reason)] as [number, string]);
  /** The task is as it was, and another connection reads it to its end. */
  const unharmed = async (id: string) => {
    const again = await rig.connect();
    again.send({
      jsonrpc: '2.0',
      id: 'again',
      method: 'SubscribeToTask',
      params: { id },
      serviceParameters: { ...NEGOTIATED, Authorization: `Bearer ${bearer()}` },
    });
    await again.next((frame) => frame.id === 'again');
    rig.release();
    const { params } = await again.next(({ method }) => method === '$/streamEnd');
    assert.deepEqual(params, { id: 'again', reason: 'complete' });
    const { result } = await again.call('GetTask', { id });
    assert.equal(((result as Json).status as Json).state, 'TASK_STATE_COMPLETED');
  };

  const call = (id: string, more: Json = {}) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'GetTask',
      params: { id: 'none' },
      serviceParameters: { ...NEGOTIATED, Authorization: `Bearer ${bearer()}` },
      ...more,
    });
  const tooBig = (one: RawConnection) => {
    one.ws.on('error', () => {});
    one.ws.send(call('big', { params: { id: 'x'.repeat(CONFIG.limits.frameBytes) } }));
  };
  for (const [name, say, code, why] of [
    [
      'a frame above maxFrameBytes',
      tooBig,
      1009,
      new RegExp(`maxFrameBytes \\(${CONFIG.limits.frameBytes}\\)`),
    ],
    ['a binary frame', (one: RawConnection) => one.ws.send(Buffer.from(call('b'))), 1008, /a binary frame/],
    [
      'an id that is open',
      (one: RawConnection) => one.send(call('s')),
      1008,
      /an id was used again while it was open/,
    ],
    [
      'a faulty frame with an id that is open',
      (one: RawConnection) => one.send(call('s', { method: 'Nothing' })),
      1008,
      /an id was used again while it was open/,
    ],
    [
      'credit beyond any meaning',
      (one: RawConnection) =>
        one.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 's', events: 2 ** 31 - 1 } }),
      1008,
      /more credit than there can be/,
    ],
  ] as [string, (one: RawConnection) => void, number, RegExp][])
    it(`${name}: ${code}, the task goes on and can be read again`, async () => {
      const id = await reading();
      const closed = closing(connection);
      say(connection);
      const [got, reason] = await closed;
      assert.equal(got, code);
      assert.match(reason, why);
      await unharmed(id);
    });

  it('more than 256 open ids: 1008, and nothing of the tasks', async () => {
    const id = await reading();
    const closed = closing(connection);
    for (let n = 0; n < 256; n += 1) {
      const more = { id: `o${n}`, method: 'SubscribeToTask', params: { id } };
      connection.send(call('', more));
    }
    assert.deepEqual(await closed, [1008, 'more than 256 open ids']);
    await unharmed(id);
  });

  describe('on the wire itself', () => {
    /** An open WebSocket as bare bytes. */
    const bare = async (offer = ''): Promise<{ socket: Socket; head: string; rest: () => Buffer }> => {
      const socket = connect(rig.port, '127.0.0.1');
      socket.on('error', () => {});
      let bytes = Buffer.alloc(0);
      socket.write(
        [
          'GET / HTTP/1.1',
          'Host: oab-b.lab',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
          'Sec-WebSocket-Protocol: oab.a2a.v1',
          `Authorization: Bearer ${bearer()}`,
          `${offer}\r\n`,
        ].join('\r\n'),
      );
      let opened = () => {};
      const open = new Promise<void>((resolve) => {
        opened = resolve;
      });
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (bytes.includes('\r\n\r\n')) opened();
      });
      await open;
      const end = bytes.indexOf('\r\n\r\n') + 4;
      return { socket, head: bytes.subarray(0, end).toString('latin1'), rest: () => bytes.subarray(end) };
    };
    const frame = (first: number, payload: Buffer): Buffer => {
      const mask = randomBytes(4);
      const length = Buffer.alloc(8);
      length.writeBigUInt64BE(BigInt(payload.length));
      const masked = Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] as number)));
      return Buffer.concat([Buffer.from([first, 0xff]), length, mask, masked]);
    };
    const TEXT = 0x81;
    const RSV1 = 0x40;
    const closeIn = (bytes: Buffer) => {
      const at = bytes.lastIndexOf(0x88);
      return [
        bytes.readUInt16BE(at + 2),
        bytes.subarray(at + 4, at + 2 + (bytes[at + 1] as number)).toString(),
      ];
    };

    it('negotiates no compression, refuses a compressed frame by 1002, and holds nothing of a bomb (OPEN-24, OPEN-30)', async () => {
      const id = await reading();
      const { socket, head, rest } = await bare('Sec-WebSocket-Extensions: permessage-deflate\r\n');
      assert.match(head, /^HTTP\/1\.1 101 /);
      assert.doesNotMatch(head, /sec-websocket-extensions/i);
      const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024));
      const before = process.memoryUsage().rss;
      socket.write(frame(TEXT | RSV1, bomb));
      await once(socket, 'close');
      assert.ok(process.memoryUsage().rss - before < 2 * CONFIG.limits.frameBytes + 8 * 1024 * 1024);
      const [code, why] = closeIn(rest());
      assert.equal(code, 1002);
      assert.match(String(why), /compressed/);
      await unharmed(id);
    });

    it('takes a frame of exactly the limit, and no text that is no UTF-8', async () => {
      const empty = Buffer.byteLength(call('b', { params: { id: '' } }));
      connection.send(call('b', { params: { id: 'x'.repeat(CONFIG.limits.frameBytes - empty) } }));
      const answer = await connection.next(({ id }) => id === 'b');
      assert.equal((answer.error as Json).code, -32602);
      const { socket, rest } = await bare();
      socket.write(frame(TEXT, Buffer.from([0x7b, 0xff, 0xfe])));
      await once(socket, 'close');
      assert.deepEqual(closeIn(rest()), [1007, 'a text frame that is no UTF-8']);
    });

    it('ends a message that never ends at maxFrameBytes', async () => {
      const { socket, rest } = await bare();
      const piece = Buffer.alloc(512 * 1024, 0x20);
      socket.write(frame(0x01, piece));
      const timer = setInterval(() => socket.writable && socket.write(frame(0x00, piece)), 1);
      await once(socket, 'close');
      clearInterval(timer);
      assert.deepEqual(closeIn(rest()), [1009, `a frame above maxFrameBytes (${CONFIG.limits.frameBytes})`]);
    });

    it('drops who is silent for 2.5 heartbeats, and keeps who answers pings alone', async () => {
      const { socket } = await bare();
      // No ping of the server is answered here.
      const silent = once(socket, 'close');
      const quiet = await rig.connect();
      const heard = new Promise<void>((resolve) => {
        let pings = 0;
        quiet.ws.on('ping', () => {
          pings += 1;
          if (pings === 6) resolve();
        });
      });
      await silent;
      await heard;
      assert.equal(quiet.ws.readyState, quiet.ws.OPEN);
    });

    it('takes a polite end in mid-task for the end of the connection and not of the task', async () => {
      const id = await reading();
      const socket = (connection.ws as unknown as { _socket: Socket })._socket;
      socket.end();
      await connection.closed;
      await unharmed(id);
    });
  });

  it('tells who reads that it drains, by 4503', async () => {
    const id = await reading();
    const closed = closing(connection);
    rig.server.close();
    assert.equal((await closed)[0], 4503);
    await unharmed(id);
  });
});
