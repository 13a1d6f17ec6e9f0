import assert from 'node:assert/strict';
import type { Direction, TapConnection } from '../lab/ports.js';
import { httpExchanges } from './http-exchanges.js';

const captured = (upstream: string, downstream: string) =>
  ({
    plain: (direction: Direction) => Buffer.from(direction === 'upstream' ? upstream : downstream),
  }) as TapConnection;

describe('captured exchanges', () => {
  it('are read from one connection in order: by length, by chunks, a stream, an answer that was cut', () => {
    const ask = (body: string) =>
      `POST / HTTP/1.1\r\nHost: b\r\nOAB-Cursor: 0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = [
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"b\r\n4\r\n":2}\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
      'f\r\ndata: {"c":3}\n\n\r\n',
      'e\r\ndata: {"d":4}',
    ];
    const found = httpExchanges([captured(ask('{"x":1}').repeat(3) + ask('{"y":2}'), answers.join(''))]);
    assert.deepEqual(
      found.map(({ request, answer }) => [request.documents, answer?.documents]),
      [
        [[{ x: 1 }], [{ a: 1 }]],
        [[{ x: 1 }], [{ b: 2 }]],
        [[{ x: 1 }], [{ c: 3 }]],
        [[{ y: 2 }], undefined],
      ],
    );
    assert.equal(found[0]?.request.headers['oab-cursor'], '0');
    assert.equal(found[0]?.request.line, 'POST / HTTP/1.1');
  });
});
