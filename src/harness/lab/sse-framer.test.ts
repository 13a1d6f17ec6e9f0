import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createFramer } from './framer.js';

const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunked = (...parts: string[]) =>
  parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('');

/** Pushes the stream in pieces of the given sizes, over and over, and returns all frame ends. */
function ends(stream: string, sizes: number[]): number[] {
  const framer = createFramer('sse');
  const bytes = Buffer.from(stream);
  const found: number[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    found.push(...framer.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return found;
}

describe('the SSE framer', () => {
  it('ends a frame right behind its blank line, wherever chunks of HTTP or TCP fall', () => {
    const events = ['data: {"a":1}\n\n', 'id: 7\nevent: x\ndata: é\ndata: b\n\n', 'data\n\n'];
    const body = events.join('');
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
        (httpSizes, tcpSizes) => {
          const parts: string[] = [];
          const bytes = Buffer.from(body).toString('latin1');
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = httpSizes[turn % httpSizes.length] as number;
            parts.push(bytes.slice(at, at + size));
            at += size;
          }
          const wire = HEAD + parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
          const raw = Buffer.from(wire, 'latin1');
          const framer = createFramer('sse');
          const found: number[] = [];
          for (let at = 0, turn = 0; at < raw.length; turn += 1) {
            const size = tcpSizes[turn % tcpSizes.length] as number;
            found.push(...framer.push(raw.subarray(at, at + size)));
            at += size;
          }
          assert.equal(found.length, events.length);
          for (const end of found) assert.equal(raw[end - 1], 0x0a);
          assert.ok(found.every((end, index) => index === 0 || end > (found[index - 1] as number)));
        },
      ),
    );
  });

  it('counts no comment, no empty block and no block without data', () => {
    const wire = HEAD + chunked(': heartbeat\n\n', '\n\n', 'id: 4\n\n', 'database: x\n\n', 'data: 1\n\n');
    assert.deepEqual(ends(wire, [wire.length]), [wire.length - 2]);
  });

  it('takes CRLF and CR as line ends too', () => {
    const crlf = `${HEAD}${chunked('data: 1\r\n\r\n')}`;
    assert.deepEqual(ends(crlf, [1]), [crlf.length - 2]);
    const cr = `${HEAD}${chunked('data: 1\r\rdata: 2\r\r:x')}`;
    assert.equal(ends(cr, [3]).length, 2);
  });

  it('follows keep-alive: other bodies in between are not counted', () => {
    const json = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\ndata: 1\n\n';
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
    const stream = `${HEAD}${chunked('data: 1\n\n')}0\r\n\r\n`;
    const wire = json + interim + stream + stream;
    assert.equal(ends(wire, [7]).length, 2);
    const untilClose = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\ndata: 2\n\n`;
    assert.deepEqual(ends(untilClose, [5]), [untilClose.length - 9, untilClose.length]);
  });

  it('says nothing about bytes that are no HTTP', () => {
    assert.deepEqual(ends('\u0016\u0003\u0001data: 1\n\n', [4]), []);
    const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\ndata: 1\n\n';
    assert.deepEqual(ends(upgraded, [4]), []);
  });
});
