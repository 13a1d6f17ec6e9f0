import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuthority } from '../../../identity/testing/authority.js';
import type { Tap } from '../ports.js';
import { openTap } from '../tap.js';
import { KeyLog, keyLog } from './key-log.js';

describe('a tap on a TLS connection', () => {
  let folder: string;
  let ca: string;
  let server: Server;
  let tap: Tap;
  let streams: ServerResponse[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-tls-tap-'));
    const authority = await openAuthority(folder);
    const { cert, key } = await authority.issue('peer', { dns: ['peer.lab'] });
    ca = readFileSync(authority.ca, 'utf8');
    server = createServer({ cert: readFileSync(cert), key: readFileSync(key), minVersion: 'TLSv1.3' });
    server.on('request', (_, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      streams.push(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    streams = [];
    tap = await openTap({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  });
  afterEach(() => tap.close());

  /** Resolves when the answer has begun; `text` grows, `ended` says how it ended. */
  const subscribe = async (ciphers: string, log: ((lines: string) => void) | undefined) => {
    const asked = request({
      ...tap.address,
      agent: false,
      ca,
      ciphers,
      servername: 'peer.lab',
      path: '/secret-path',
    });
    asked.on('socket', (socket) => socket.on('keylog', (line: Buffer) => log?.(line.toString())));
    asked.on('error', () => {});
    asked.end();
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
    const seen = { text: '', ended: new Promise((resolve) => response.once('close', resolve)) };
    response.on('data', (chunk: Buffer) => {
      seen.text += chunk.toString();
    });
    response.on('error', () => {});
    return seen;
  };
  const write = async (text: string) => {
    const [stream] = streams;
    await new Promise((resolve) => stream?.write(text, resolve));
  };
  const inProcess = (lines: string) => keyLog.add(lines);

  for (const suite of ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']) {
    it(`cuts behind the planned frame and shows the plain text (${suite})`, async () => {
      const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { frame: 2, framer: 'sse' } });
      const seen = await subscribe(suite, inProcess);
      for (const part of ['data: one\n\n', 'data: t', 'wo\n\n', 'data: three\n\n']) await write(part);
      assert.ok(await cut.verify());
      await seen.ended;
      assert.equal(seen.text, 'data: one\n\ndata: two\n\n');
      const connection = await tap.connection(0);
      assert.match(connection.plain('upstream').toString(), /GET \/secret-path/);
      assert.match(connection.plain('downstream').toString(), /data: one/);
      assert.doesNotMatch(connection.recorded('downstream').toString('latin1'), /data: one/);
      assert.match(tap.transcript(), /GET \/secret-path/);
    });
  }

  it('cuts where a record ends when several frames share it', async () => {
    const cut = tap.arm({ kind: 'fin', direction: 'downstream', at: { frame: 2, framer: 'sse' } });
    const seen = await subscribe('TLS_AES_256_GCM_SHA384', inProcess);
    await write('data: one\n\ndata: two\n\ndata: three\n\n');
    assert.ok(await cut.verify());
    await seen.ended;
    assert.equal(seen.text, 'data: one\n\ndata: two\n\ndata: three\n\n');
  });

  for (const withheld of [1, 1_000_000]) {
    it(`lets nothing of an answer be read when ${withheld} bytes of it are withheld, and its question has arrived`, async () => {
      const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { answer: withheld } });
      await assert.rejects(subscribe('TLS_AES_128_GCM_SHA256', inProcess), /ECONNRESET|socket hang up/);
      assert.ok(await cut.verify());
      assert.equal(streams.length, 1);
    });
  }

  it('takes the frames that passed before the cut was planned', async () => {
    const seen = await subscribe('TLS_AES_256_GCM_SHA384', inProcess);
    await write('data: one\n\n');
    while (!seen.text.includes('one')) await new Promise((resolve) => setImmediate(resolve));
    const cut = (await tap.connection(0)).cut({
      kind: 'reset',
      direction: 'downstream',
      at: { frame: 2, framer: 'sse' },
    });
    await write('data: two\n\n');
    assert.ok(await cut.verify());
  });

  it('sees nothing without the secrets, and says so by not taking', async () => {
    const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { frame: 1, framer: 'sse' } });
    const seen = await subscribe('TLS_AES_256_GCM_SHA384', undefined);
    await write('data: one\n\n');
    while (!seen.text.includes('one')) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await cut.verify(50), false);
    assert.equal((await tap.connection(0)).plain('downstream').length, 0);
  });

  it('reads secrets from a file that a subject appends to, whole lines only', () => {
    const log = new KeyLog();
    const path = join(folder, 'keys.log');
    log.watch(path);
    assert.equal(log.secret('server', 'aa'), undefined);
    writeFileSync(path, 'SERVER_TRAFFIC_SECRET_0 aa 0102\nCLIENT_TRAFFIC_SECRET_0 aa 03');
    assert.equal(log.secret('server', 'aa')?.toString('hex'), '0102');
    assert.equal(log.secret('client', 'aa'), undefined);
    writeFileSync(path, '04\n', { flag: 'a' });
    assert.equal(log.secret('client', 'aa')?.toString('hex'), '0304');
  });
});
