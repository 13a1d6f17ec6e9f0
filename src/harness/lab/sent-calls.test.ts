import assert from 'node:assert/strict';
import { redact } from '../../telemetry/redact.js';
import { sentCalls } from './sent-calls.js';
import { legible, websocketMessages } from './websocket-messages.js';

const HEAD = 'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n';

/** A client's frame. */
function frame(opcode: number, payload: string, { last = true, mask = 0x01020304 } = {}): Buffer {
  const body = Buffer.from(payload);
  const key = Buffer.alloc(4);
  key.writeUInt32BE(mask);
  for (const [index, byte] of body.entries()) body[index] = byte ^ (key[index % 4] as number);
  const length =
    body.length < 126
      ? Buffer.from([0x80 | body.length])
      : body.length < 65_536
        ? Buffer.from([0x80 | 126, body.length >> 8, body.length & 0xff])
        : Buffer.concat([Buffer.from([0x80 | 127, 0, 0, 0, 0]), uint32(body.length)]);
  return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode]), length, key, body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const upstream = (...frames: Buffer[]) => ({ plain: () => Buffer.concat([Buffer.from(HEAD), ...frames]) });

describe('messages of a recorded WebSocket', () => {
  it('are whole, in pieces, of every length, with control frames between', () => {
    const long = 'é'.repeat(100);
    const longer = 'x'.repeat(70_000);
    const { plain } = upstream(
      frame(1, 'one'),
      frame(1, long),
      frame(9, 'ping'),
      frame(1, 'in ', { last: false }),
      frame(10, ''),
      frame(0, 'pieces'),
      frame(2, 'bytes'),
      frame(1, longer),
    );
    const found = websocketMessages(plain());
    assert.deepEqual(
      found.map(({ text, binary }) => [text, binary]),
      [
        ['one', false],
        [long, false],
        ['in pieces', false],
        ['bytes', true],
        [longer, false],
      ],
    );
    assert.equal(found.at(-1)?.end, plain().length);
    assert.equal(websocketMessages(plain().subarray(0, -1)).length, 4);
  });

  it('are none where nothing was upgraded', () => {
    assert.deepEqual(websocketMessages(Buffer.from('GET / HTTP/1.1\r\n\r\nxxxx')), []);
    assert.deepEqual(websocketMessages(Buffer.from('GET / HT')), []);
  });
});

describe('the calls that a client sent', () => {
  it('are the same on either binding, without id and token', () => {
    const create = (id: number, token: string) =>
      frame(1, `{"jsonrpc":"2.0","id":${id},"method":"create","params":{"request":{}},"token":"${token}"}`);
    const calls = sentCalls(
      upstream(
        create(1, 'a.b'),
        create(2, 'c.d'),
        frame(1, '{"id":"3","method":"events","params":{"task_id":"t","cursor":"c4"}}'),
        frame(1, '{"method":"$/credit","params":{"id":3,"events":9}}'),
        frame(1, 'no JSON'),
      ),
    );
    assert.deepEqual(
      calls.map(({ does, cursor }) => [does, cursor]),
      [
        ['create', undefined],
        ['create', undefined],
        ['observe', 'c4'],
        ['events', 'c4'],
        ['other', undefined],
      ],
    );
    assert.equal(calls[0]?.message, calls[1]?.message);

    const post = (body: string, more = '') =>
      `POST / HTTP/1.1\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;
    const text = [
      post('{"id":1,"method":"SendMessage","params":{}}'),
      post('{"id":2,"method":"GetTask"}', 'OAB-Cursor: c4\r\n'),
      post('{"id":3,"method":"GetTask"}'),
      post('{"id":4,"method":"SubscribeToTask"}'),
    ].join('');
    const of = (cut: number) => sentCalls({ plain: () => Buffer.from(text.slice(0, text.length - cut)) });
    assert.deepEqual(
      of(0).map(({ does, cursor }) => [does, cursor]),
      [
        ['create', undefined],
        ['events', 'c4'],
        ['other', undefined],
        ['observe', undefined],
      ],
    );
    assert.equal(of(1).length, 3);
  });

  it('are known by verb and path on HTTP+JSON', () => {
    const text = [
      'POST /message:send HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
      'GET /tasks/t HTTP/1.1\r\nOAB-Cursor: c4\r\n\r\n',
      'GET /tasks/t HTTP/1.1\r\n\r\n',
      'POST /tasks/t:subscribe HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
      'GET /tasks/t:subscribe HTTP/1.1\r\n\r\n',
      'POST /tasks/t:cancel HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
    ].join('');
    assert.deepEqual(
      sentCalls({ plain: () => Buffer.from(text) }).map(({ does, message, cursor }) => [
        does,
        message,
        cursor,
      ]),
      [
        ['create', '{}', undefined],
        ['events', '', 'c4'],
        ['other', '', undefined],
        ['observe', '{}', undefined],
        ['observe', '', undefined],
        ['other', '{}', undefined],
      ],
    );
  });
});

describe('a recorded WebSocket, as people read it', () => {
  it('is its head and its messages: nothing masked hides from the redaction', () => {
    const token = `eyJhbGciOiJFZERTQSJ9.e30.${'s'.repeat(20)}`;
    const { plain } = upstream(frame(1, `{"token":"${token}"}`), frame(9, 'ping'), frame(2, 'bytes'));
    assert.equal(legible(plain()), `${HEAD}{"token":"${token}"}\n[5 binary]`);
    assert.ok(!redact(legible(plain())).includes('s'.repeat(20)));
    assert.equal(legible(upstream(frame(1, token).subarray(0, -1)).plain()), HEAD);
    assert.equal(legible(Buffer.from('GET / HTTP/1.1\r\n\r\nx')), 'GET / HTTP/1.1\r\n\r\nx');
  });
});
