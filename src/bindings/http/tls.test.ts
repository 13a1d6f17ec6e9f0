import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { sameKey } from '../../identity/certificate.js';
import type { Credentials } from '../../identity/ports.js';
import { type Authority, type Issued, openAuthority } from '../../identity/testing/authority.js';
import { openTlsFiles } from '../../identity/tls-files.js';
import { credentialsOf } from './credentials.js';
import { type DialTls, dial } from './dial.js';
import { type Listener, type ListenerTls, listen } from './listener.js';

const text = (path: string) => readFileSync(path, 'utf8');
const pin = ({ jwk }: Issued) => {
  const key = createPublicKey({ key: JSON.parse(text(jwk)) as JsonWebKey, format: 'jwk' });
  return (shown: Parameters<NonNullable<DialTls['pinned']>>[0]) => sameKey(key, shown);
};
const client = ({ cert, key }: Issued) => ({ cert: text(cert), key: text(key) });

describe('TLS between the peers', () => {
  let folder: string;
  let authority: Authority;
  let server: Issued;
  let listener: Listener;
  let seen: Credentials[];
  let reused: boolean[];

  const tls = ({ cert, key }: Issued): ListenerTls => ({
    ...openTlsFiles({ cert, key, ca: authority.ca }).current(),
    askCertificate: true,
  });
  /** One request over a connection of its own, or over a pool that is given. */
  const ask = async (options: DialTls, pool = dialled(options)): Promise<number> => {
    const { statusCode, body } = await pool.request({
      origin: 'https://oab-b.lab',
      path: '/',
      method: 'GET',
    });
    await body.dump();
    return statusCode;
  };
  const dialled = (options: DialTls) =>
    dial({ connect: listener.address, insecureLoopback: false, tls: () => options });
  const ca = () => ({ ca: text(authority.ca) });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-tls-'));
    authority = await openAuthority(folder);
    server = await authority.issue('oab-b', { dns: ['oab-b.lab'] });
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    seen = [];
    reused = [];
    listener = await listen({
      address: { host: '127.0.0.1', port: 0 },
      routes: [
        (request, response) => {
          seen.push(credentialsOf(request));
          reused.push((request.socket as TLSSocket).isSessionReused());
          response.end('ok');
          return true;
        },
      ],
      tls: tls(server),
    });
  });
  afterEach(() => listener.close(0));

  it('chains to the configured authority and to the name, and to nothing else', async () => {
    assert.equal(await ask(ca()), 200);
    const other = await openAuthority(folder, 'other');
    await assert.rejects(ask({ ca: text(other.ca) }), /unable to verify|self.signed|issuer/i);
    await assert.rejects(ask({}), /unable to verify|self.signed|issuer/i);
    const pool = dial({ connect: listener.address, insecureLoopback: false, tls: ca });
    await assert.rejects(
      pool.request({ origin: 'https://elsewhere.lab', path: '/', method: 'GET' }),
      /does not match/,
    );
  });

  it('takes the pinned key with or without an authority, and no other key', async () => {
    const stranger = await authority.issue('stranger', { dns: ['oab-b.lab'] });
    assert.equal(await ask({ pinned: pin(server) }), 200);
    assert.equal(await ask({ ...ca(), pinned: pin(server) }), 200);
    await assert.rejects(ask({ pinned: pin(stranger) }), /tls_key/);
    await assert.rejects(ask({ ...ca(), pinned: pin(stranger) }), /tls_key/);
    assert.equal(seen.length, 2, 'nothing is sent to a wrong key');
  });

  it('takes the pinned key in its certificate’s time only', async () => {
    const HOUR = 3_600_000;
    for (const [name, dates] of [
      ['expired', { notBefore: new Date(Date.now() - 2 * HOUR), notAfter: new Date(Date.now() - HOUR) }],
      ['early', { notBefore: new Date(Date.now() + HOUR), notAfter: new Date(Date.now() + 2 * HOUR) }],
    ] as const) {
      const issued = await authority.issue(name, { dns: ['oab-b.lab'], ...dates });
      listener.renew(tls(issued));
      await assert.rejects(ask({ pinned: pin(issued) }), /not in its time/, name);
      await assert.rejects(ask({ ...ca(), pinned: pin(issued) }), /expired|not yet valid/, name);
    }
    assert.equal(seen.length, 0, 'nothing is sent to it');
  });

  it('resumes the session of the pinned key, until that key is pinned no more', async () => {
    let pinned = pin(server);
    const pool = dialled({ pinned: (key) => pinned(key) });
    const several = (n: number) => Promise.all(Array.from({ length: n }, () => ask({}, pool)));
    assert.deepEqual(await several(1), [200]);
    assert.deepEqual(await several(3), [200, 200, 200]);
    assert.deepEqual(
      [...new Set(reused)].sort(),
      [false, true],
      'later connections resume the first one’s session',
    );
    pinned = () => false;
    // More than stand open already: at least one of them must connect anew.
    await assert.rejects(several(8), /tls_key/);
  });

  it('shows the client’s certificate to the binding, on a resumed session too', async () => {
    const gate = await authority.issue('gate', { uris: ['oab:gate'] });
    const options = { ...ca(), client: client(gate) };
    const pool = dialled(options);
    assert.equal(await ask(options, pool), 200);
    // Two at once need a second connection, which resumes the first one's session.
    await Promise.all([ask(options, pool), ask(options, pool), ask(options, pool)]);
    for (const { certificate } of seen) {
      assert.deepEqual([certificate?.uriSans, certificate?.authorized], [['oab:gate'], true]);
      assert.ok(certificate !== undefined && pin(gate)(certificate.publicKey));
    }
    assert.equal(await ask(ca()), 200);
    assert.equal(seen.at(-1)?.certificate, undefined);
  });

  it('says of a certificate from elsewhere, or out of its time, that it is not authorised', async () => {
    const other = await openAuthority(folder, 'elsewhere');
    const stranger = await other.issue('gate-elsewhere', { uris: ['oab:gate'] });
    const expired = await authority.issue('gate-expired', {
      uris: ['oab:gate'],
      notAfter: new Date(Date.now() - 1000),
    });
    for (const one of [stranger, expired]) await ask({ ...ca(), client: client(one) });
    assert.deepEqual(
      seen.map(({ certificate }) => certificate?.authorized),
      [false, false],
    );
  });

  it('serves a renewed certificate to the next connection', async () => {
    const next = await authority.issue('oab-b-next', { dns: ['oab-b.lab'] });
    listener.renew(tls(next));
    assert.equal(await ask({ pinned: pin(next) }), 200);
    await assert.rejects(ask({ pinned: pin(server) }), /tls_key/);
  });

  it('speaks TLS 1.3 only', async () => {
    const port = Number(listener.address.split(':')[1]);
    await new Promise<void>((resolve, reject) => {
      const socket = tlsConnect(
        { host: '127.0.0.1', port, servername: 'oab-b.lab', maxVersion: 'TLSv1.2', ...ca() },
        () => reject(new Error('TLS 1.2 was spoken')),
      );
      socket.once('error', () => resolve());
    });
  });
});
