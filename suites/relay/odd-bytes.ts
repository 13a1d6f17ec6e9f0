/** Bytes that somebody in between might want to understand, tidy or end: what is odd in HTTP, SSE and framing, and noise. */
import { createCipheriv } from 'node:crypto';
import type { Random } from '../../src/harness/seed.js';

/** Order, case, repetition and blanks of these lines are the sender's own (RFC 9112 section 5). */
const HEADERS = [
  'HOST: OAB-B.lab',
  'a2a-version:1.0',
  'A2A-Extensions: urn:x:a',
  'a2a-extensions:\turn:x:b ',
  'OAB-Cursor: c-1',
  'Last-Event-ID: 41',
  'last-event-id: 42',
  'X-Odd:   two  blanks   ',
  'Cookie: a=1; a=2',
  'Connection: X-Odd, keep-alive',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Expect: 100-continue',
  'Proxy-Authorization: Bearer not.the.relays',
  'X-Empty:',
];
const TRAILERS = ['X-Checksum: 1', 'x-checksum: 2', 'OAB-Cursor: c-2'];

/** Every end of a line that SSE knows, a byte order mark, comments, ids, half a character at an end (WHATWG HTML 9.2.5). */
const EVENTS = [
  '\uFEFFdata: first\r\r',
  'data: a\ndata: b\n\n',
  'data: c\r\ndata: d\r\n\r\n',
  ': a comment\r\n\r\n:\n\n',
  'id: 7\nevent: odd\ndata\ndata:\ndata:  two blanks\n\n',
  'retry: 5\r\ndata: \u00fc\u{1f980}\u2028\u2029\u0085\u0000\r\n\r\n',
  '\r\n\n\r',
  'data: not ended',
].map((text) => Buffer.from(text));

/** The beginnings of other protocols, which are nobody's business here. */
const LOOKALIKES = [
  Buffer.from('CONNECT oab-c.lab:443 HTTP/1.1\r\nHost: oab-c.lab:443\r\n\r\n'),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'),
  // A WebSocket close, a TLS alert, an HTTP/2 RST_STREAM, zeros.
  Buffer.from('88020000', 'hex'),
  Buffer.from('15030300020100', 'hex'),
  Buffer.from('00000403000000000100000008', 'hex'),
  Buffer.alloc(300),
];

const MAX_NOISE = 96 * 1024;

function request(random: Random): Buffer {
  const lines = random.shuffle(HEADERS).slice(0, random.int(4, HEADERS.length));
  const chunk = (bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`${bytes.length.toString(16).toUpperCase()} ;odd="x"\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
  return Buffer.concat([
    Buffer.from(
      `pOsT /a//b/../?q=%41%2f HTTP/1.1\r\n${lines.join('\r\n')}\r\nTransfer-Encoding: cHunked\r\n\r\n`,
    ),
    ...random.shuffle(EVENTS).map(chunk),
    Buffer.from(`000\r\n${random.shuffle(TRAILERS).join('\r\n')}\r\n\r\n`),
  ]);
}

function noise(random: Random): Buffer {
  const stream = createCipheriv('aes-128-ctr', random.bytes(16), random.bytes(16));
  return stream.update(Buffer.alloc(random.int(0, MAX_NOISE)));
}

/** One direction of a connection, the same for the same choices. */
export function oddBytes(random: Random): Buffer {
  const parts = Array.from({ length: random.int(3, 8) }, () =>
    random.pick([request, noise, (one: Random) => one.pick(EVENTS), (one: Random) => one.pick(LOOKALIKES)])(
      random,
    ),
  );
  return Buffer.concat([request(random), ...parts]);
}
