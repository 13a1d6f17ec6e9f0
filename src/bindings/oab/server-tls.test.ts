import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket, connect as tcpConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PeerConnection, PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { createAuthenticator } from '../../identity/authenticator.js';
import { type Authority, type Issued, openAuthority } from '../../identity/testing/authority.js';
import { openTlsFiles } from '../../identity/tls-files.js';
import type { DialTls } from '../http/dial.js';
import { connectOab, type OabClientOptions } from './client.js';
import { bearer, openRig } from './testing/rig.js';

const text = (path: string) => readFileSync(path, 'utf8');
const signal = () => AbortSignal.timeout(10_000);

describe('the custom OAB protocol over TLS', () => {
  let folder: string;
  let authority: Authority;
  let server: Issued;
  let gate: Issued;
  let rig: Awaited<ReturnType<typeof openRig>>;
  const closing: (() => unknown)[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-oab-tls-'));
    authority = await openAuthority(folder);
    server = await authority.issue('oab-b', { dns: ['oab-b.lab', 'elsewhere.lab'] });
    gate = await authority.issue('oab-a', { uris: ['oab:oab-a'] });
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rig.close();
  });

  /** Callers by certificate alone; a certificate is the only credential that counts. */
  const open = async () => {
    const certificates = new Map([['oab-a', { capabilities: ['repo:read'] }]]);
    const real = createAuthenticator({
      self: 'oab-b',
      peers: new Map(),
      certificates,
      skewMs: 30_000,
      windowMs: 7_200_000,
    });
    rig = await openRig(
      {},
      { authenticator: real },
      {
        authority: 'oab-b.lab:443',
        tls: {
          ...openTlsFiles({ cert: server.cert, key: server.key, ca: authority.ca }).current(),
          askCertificate: true,
        },
      },
    );
  };
  const client = (tls: DialTls, more: Partial<OabClientOptions> = {}): PeerConnection => {
    const made = connectOab({
      peer: 'oab-b',
      url: 'https://oab-b.lab/',
      connect: `127.0.0.1:${rig.port}`,
      insecureLoopback: false,
      timeoutMs: 5000,
      credentials: () => undefined,
      tls: () => ({ ca: text(authority.ca), ...tls }),
      ...more,
    });
    closing.push(() => made.close());
    return made;
  };
  const shown = ({ cert, key }: Issued) => ({ client: { cert: text(cert), key: text(key) } });
  const delegate = async (peer: PeerConnection) => {
    const { request } = requestOf({ task: 'say 2' });
    const { task } = await peer.create(request, { signal: signal() });
    for await (const frame of peer.observe(task.id, { signal: signal() })) assert.ok('event' in frame);
    return (await peer.get(task.id, undefined, { signal: signal() })).result?.caller;
  };

  it('takes a caller by its certificate, and no token in any frame', async () => {
    await open();
    assert.equal(await delegate(client(shown(gate))), 'oab-a');
  });

  it('lets nobody in without one, with one of nobody, or with one of elsewhere', async () => {
    await open();
    const stranger = await authority.issue('oab-x', { uris: ['oab:oab-x'] });
    const elsewhere = await (await openAuthority(folder, 'other')).issue('fake', { uris: ['oab:oab-a'] });
    for (const tls of [{}, shown(stranger), shown(elsewhere)]) {
      const error = await client(tls)
        .describe({ signal: signal() })
        .then(
          () => assert.fail('it was let in'),
          (thrown: unknown) => thrown,
        );
      assert.ok(error instanceof PeerRefusal, String(error));
      assert.equal(error.reason, 'UNAUTHENTICATED');
    }
  });

  it('holds a token in a frame against its certificate', async () => {
    await open();
    // The upgrade shows the certificate alone, each frame a token that does not count beside it.
    const credentials = [undefined];
    const peer = client(shown(gate), {
      credentials: () => (credentials.length > 0 ? credentials.pop() : bearer({ peer: 'oab-c' })),
    });
    await assert.rejects(peer.describe({ signal: signal() }), { reason: 'UNAUTHENTICATED' });
  });

  it('takes connections that were handed to it, as from a tunnel, for its own authority alone', async () => {
    await open();
    const way = createServer((socket) => rig.listener.accept(socket));
    await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
    closing.push(() => way.close());
    const { port } = way.address() as { port: number };
    let ways = 0;
    const through = async (): Promise<Socket> => {
      ways += 1;
      return tcpConnect(port, '127.0.0.1');
    };
    assert.equal(await delegate(client(shown(gate), { through })), 'oab-a');
    assert.equal(ways, 1, 'one connection for all calls and streams');
    const other = client(shown(gate), { through, url: 'https://elsewhere.lab/' });
    await assert.rejects(other.describe({ signal: signal() }), PeerUnreachable);
  });

  it('sends nothing to a server whose key is not the pinned one', async () => {
    await open();
    const peer = client({ ...shown(gate), pinned: () => false });
    await assert.rejects(peer.describe({ signal: signal() }), /tls_key/);
    assert.equal(await delegate(client({ ...shown(gate), pinned: () => true })), 'oab-a');
  });
});
