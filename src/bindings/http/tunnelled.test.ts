import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { openAuthority } from '../../identity/testing/authority.js';
import { type Listener, listen } from './listener.js';
import type { ListenerRefusal } from './refusals.js';

describe('a connection that came through a tunnel', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oab-tunnelled-'));
  let ca: string;
  let listener: Listener;
  /** In place of the tunnel. */
  let way: Server;
  let taken = 0;
  const refused: ListenerRefusal[] = [];
  before(async () => {
    const authority = await openAuthority(folder);
    const { cert, key } = await authority.issue('oab-b', { dns: ['oab-b.lab', 'other.lab'] });
    const text = (path: string) => readFileSync(path, 'utf8');
    ca = text(authority.ca);
    listener = await listen({
      routes: [
        (_, response) => {
          taken += 1;
          response.end('ok');
          return true;
        },
      ],
      upgrade: (_, socket) => {
        taken += 1;
        socket.destroy();
        return true;
      },
      tls: { cert: text(cert), key: text(key), askCertificate: false },
      authority: 'oab-b.lab:443',
      headersTimeoutMs: 300,
      refused: (refusal) => refused.push(refusal),
    });
    way = createServer((socket) => listener.accept(socket)).listen(0, '127.0.0.1');
    await once(way, 'listening');
  });
  after(async () => {
    await listener.close(0);
    way.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    taken = 0;
    refused.length = 0;
  });

  const port = () => (way.address() as AddressInfo).port;
  /** All that is answered to these lines, up to the end of the connection. */
  const say = async (lines: string, servername: string | undefined = 'oab-b.lab'): Promise<string> => {
    const socket = tlsConnect({
      socket: connect(port(), '127.0.0.1'),
      ca,
      checkServerIdentity: () => undefined,
      ...(servername === '' ? {} : { servername }),
    });
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const gone = once(socket, 'close');
    if (lines !== '') socket.write(lines);
    await gone;
    return text;
  };
  const get = (host: string, more = '') =>
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;

  it('is served for its authority', async () => {
    for (const host of ['oab-b.lab', 'OAB-B.lab:443']) assert.match(await say(get(host)), /^HTTP\/1\.1 200 /);
    assert.deepEqual([taken, refused], [2, []]);
  });

  it('is refused for another Host, in a request and in an upgrade (421)', async () => {
    for (const host of ['other.lab', 'oab-b.lab:8443', 'relay-1.lab', '127.0.0.1'])
      assert.match(await say(get(host)), /^HTTP\/1\.1 421 /);
    assert.match(
      await say('GET / HTTP/1.1\r\nHost: other.lab\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      /^HTTP\/1\.1 421 /,
    );
    assert.deepEqual([taken, refused], [0, Array(5).fill('authority')]);
  });

  it('is ended for another server name, or none, without a word', async () => {
    for (const servername of ['other.lab', '']) assert.equal(await say(get('oab-b.lab'), servername), '');
    assert.deepEqual([taken, refused], [0, ['server-name', 'server-name']]);
  });

  it('is refused with a body of ambiguous length (400)', async () => {
    assert.match(
      await say(
        get('oab-b.lab', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n').replace('GET', 'POST'),
      ),
      /^HTTP\/1\.1 400 /,
    );
    assert.deepEqual([taken, refused], [0, ['malformed']]);
  });

  it('is not waited for when it says nothing', async () => {
    assert.match(await say(''), /^HTTP\/1\.1 408 /);
    assert.deepEqual(refused, ['silent']);
  });

  it('is refused when it brings no TLS', async () => {
    const socket = connect(port(), '127.0.0.1');
    socket.on('error', () => {});
    socket.end('GET / HTTP/1.1\r\nHost: oab-b.lab\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    assert.deepEqual([taken, refused], [0, ['handshake']]);
  });
});
