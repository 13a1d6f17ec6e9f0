import assert from 'node:assert/strict';
import { sentRequests } from './http-requests.js';

const request = (line: string, body: string, more = '') =>
  `${line} HTTP/1.1\r\nhost: x\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe('requests of a recording', () => {
  const of = (text: string) => sentRequests({ plain: () => Buffer.from(text) });

  it('are told apart by their length, with headers by lower-case name', () => {
    const text = `GET /card HTTP/1.1\r\nhost: x\r\n\r\n${request('POST /', '{"é":1}', 'OAB-Cursor: c4\r\n')}${request('POST /', 'two')}`;
    assert.deepEqual(
      of(text).map(({ line, headers, body }) => [line, headers['oab-cursor'], body]),
      [
        ['GET /card HTTP/1.1', undefined, ''],
        ['POST / HTTP/1.1', 'c4', '{"é":1}'],
        ['POST / HTTP/1.1', undefined, 'two'],
      ],
    );
  });

  it('end where the connection was cut', () => {
    assert.deepEqual(of(`${request('POST /', 'whole')}POST / HT`).length, 1);
    assert.equal(of(request('POST /', 'whole').slice(0, -2))[0]?.body, 'who');
    assert.deepEqual(of(''), []);
  });
});
