import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createFramer } from './framer.js';
import { wsFrame } from './testing/ws-frame.js';
import { createWebSocketReader } from './websocket-reader.js';

const ASKED =
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n';
const GRANTED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

/** Pushes bytes in pieces of the given sizes, over and over. */
function inPieces<T>(bytes: Buffer, sizes: readonly number[], push: (piece: Buffer) => T[]): T[] {
  const found: T[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    found.push(...push(bytes.subarray(at, at + size)));
    at += size;
  }
  return found;
}

const framed = (wire: Buffer, sizes: readonly number[] = [wire.length]) => {
  const framer = createFramer('websocket');
  return inPieces(wire, sizes, (piece) => framer.push(piece));
};

/** What stands on the wire, and how many text messages end in it. */
const PIECES: [Buffer[], number][] = [
  [[wsFrame('text', '{"a":1}')], 1],
  [[wsFrame('text', 'é'.repeat(80)), wsFrame('ping', 'beat')], 1],
  [[wsFrame('text', 'x'.repeat(70_000))], 1],
  [
    [
      wsFrame('text', 'one ', { last: false }),
      wsFrame('ping', ''),
      wsFrame('continuation', 'message ', { last: false }),
      wsFrame('pong', 'x'),
      wsFrame('continuation', 'in pieces'),
    ],
    1,
  ],
  [[wsFrame('text', '')], 1],
  [[wsFrame('binary', 'no text')], 0],
  [[wsFrame('pong', ''), wsFrame('ping', 'x'.repeat(125))], 0],
];

describe('the WebSocket framer', () => {
  for (const masked of [false, true])
    it(`ends a frame behind each text message, ${masked ? 'masked' : 'unmasked'}, wherever chunks fall`, () => {
      const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 });
      const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 4 });
      fc.assert(
        fc.property(pieces, sizes, (chosen, tcpSizes) => {
          const wire: Buffer[] = [Buffer.from(masked ? ASKED : GRANTED)];
          const expected: number[] = [];
          for (const [frames, texts] of chosen) {
            wire.push(...frames.map((frame) => (masked ? wsFrame.mask(frame) : frame)));
            if (texts > 0 && frames.at(-1) !== undefined) {
              const behind = Buffer.concat(wire).length;
              const control = frames.length === 2 ? (wire.at(-1)?.length ?? 0) : 0;
              expected.push(behind - control);
            }
          }
          assert.deepEqual(framed(Buffer.concat(wire), tcpSizes), expected);
        }),
        { numRuns: 60 },
      );
    });

  it('finds them one byte at a time, and many in one chunk', () => {
    const one = wsFrame('text', 'x'.repeat(300));
    const wire = Buffer.concat([Buffer.from(GRANTED), ...Array.from({ length: 50 }, () => one)]);
    const expected = Array.from({ length: 50 }, (_, k) => GRANTED.length + (k + 1) * one.length);
    assert.deepEqual(framed(wire, [1]), expected);
    assert.deepEqual(framed(wire), expected);
  });

  it('says nothing about what was not upgraded', () => {
    const text = wsFrame('text', 'x');
    for (const head of [
      'HTTP/1.1 401 Unauthorized\r\nContent-Length: 3\r\n\r\n',
      'POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    ])
      assert.deepEqual(framed(Buffer.concat([Buffer.from(head), text])), []);
    assert.deepEqual(framed(Buffer.alloc(200_000, 0x16), [1000]), []);
  });

  it('stops at what is no WebSocket', () => {
    const good = wsFrame('text', 'x');
    const reserved = Buffer.from(good);
    reserved[0] = 0xc1;
    const wire = Buffer.concat([Buffer.from(GRANTED), good, reserved, good]);
    assert.deepEqual(framed(wire), [GRANTED.length + good.length]);
  });
});

describe('the WebSocket reader', () => {
  it('unmasks, joins fragments, and shows control frames where they stood', () => {
    const reader = createWebSocketReader();
    const wire = Buffer.concat(
      [
        wsFrame('text', 'one ', { last: false }),
        wsFrame('ping', 'beat'),
        wsFrame('continuation', 'message'),
        wsFrame('close', Buffer.from([0x11, 0x94])),
      ].map(wsFrame.mask),
    );
    const found = inPieces(wire, [1], (piece) => reader.push(piece));
    assert.deepEqual(
      found.map(({ kind, payload }) => [kind, payload.toString('latin1')]),
      [
        ['ping', 'beat'],
        ['text', 'one message'],
        ['close', '\u0011\u0094'],
      ],
    );
    assert.ok(found.every(({ masked }) => masked));
    assert.equal(reader.broken, undefined);
  });

  for (const [name, frames] of Object.entries({
    'a fragment of nothing': [wsFrame('continuation', 'x')],
    'a message inside another': [wsFrame('text', 'x', { last: false }), wsFrame('text', 'y')],
    'a control frame in pieces': [wsFrame('ping', 'x', { last: false })],
    'a long control frame': [wsFrame('ping', 'x'.repeat(126))],
    'an opcode of nothing': [Buffer.from([0x83, 0x00])],
    'a length of nobody’s': [Buffer.from([0x81, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
  }))
    it(`breaks at ${name}`, () => {
      const reader = createWebSocketReader();
      assert.deepEqual(reader.push(Buffer.concat([...frames, wsFrame('text', 'z')])), []);
      assert.notEqual(reader.broken, undefined);
    });
});
