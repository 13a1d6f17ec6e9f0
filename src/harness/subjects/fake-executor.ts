/**
 * The harness in the executor's place, towards a coordinator that is the subject: honest by default, and hostile in
 * exactly the way that a case says. Raw JSON on the cell's binding; the contract's own pure functions make what it signs.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { signEnvelope, type UnsignedEnvelope } from '../../profile/envelope.js';
import type { Cell } from '../check.js';
import type { Lab } from '../lab/ports.js';
import { JSON_RPC, serveHttp } from './fake-http.js';
import { HTTP_JSON } from './fake-http-json.js';
import { serveOab } from './fake-oab.js';
import { type FakeParts, HONEST, type Received } from './fake-parts.js';
import { FAKE_PEER } from './fake-story.js';
import { FakeTasks } from './fake-tasks.js';
import { serveWss } from './fake-wss.js';
import { type RelaySubject, relaySubject } from './relay-subject.js';
import { makeKeys, openTunnelEnd } from './tunnel-end.js';

const URL = 'https://oab-b.lab/';
const ROUTE = 'oab-b.lab:443';

export interface FakeExecutor {
  readonly peer: string;
  readonly url: string;
  readonly connect: string;
  readonly ca: string;
  readonly tlsKey: string;
  readonly resultKeys: string;
  readonly received: Received[];
  /** The way to it in the dual-outbound topology; `connect` is then the relay's. */
  readonly relay?: RelaySubject;
  /** Signs the coordinator's tokens for that relay. */
  readonly tokenKey?: string;
  close(): Promise<void>;
}

export async function fakeExecutor(
  lab: Lab,
  name: string,
  caller: string,
  change: Partial<FakeParts>,
  { binding, topology }: Cell,
): Promise<FakeExecutor> {
  const key = newKey(Date.now() - 60_000);
  const stranger = newKey(Date.now() - 60_000);
  const resultKeys = join(lab.folder, `${name}-results.pub.jwks`);
  writeKeyFile(resultKeys, [key], 'public');
  const signer =
    ({ kid, privateKey }: typeof key) =>
    (unsigned: UnsignedEnvelope) =>
      signEnvelope(unsigned, { kid, key: privateKey as NonNullable<typeof privateKey> });
  const tasks = new FakeTasks({ ...HONEST, ...change }, caller, {
    sign: signer(key),
    strangerSigns: signer(stranger),
  });

  const authority = await lab.authority();
  const tls = await authority.issue(name, { dns: ['oab-b.lab'] });
  const server = createServer({
    cert: readFileSync(tls.cert),
    key: readFileSync(tls.key),
    minVersion: 'TLSv1.3' as const,
  });
  let drop = () => {};
  if (binding === 'OAB') drop = serveOab(tasks, server);
  else if (binding === 'WSS') drop = serveWss(tasks, server, URL);
  else server.on('request', serveHttp(tasks, URL, binding === 'HTTP+JSON' ? HTTP_JSON : JSON_RPC));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      drop();
    });
  lab.onClose(`fake executor ${name}`, close);
  const { port } = server.address() as AddressInfo;
  const way = topology === 'direct' ? undefined : await behindRelay(lab, name, caller, server);
  const place = way?.relay.address() ?? { host: '127.0.0.1', port };
  return {
    peer: FAKE_PEER,
    url: URL,
    connect: `${place.host}:${place.port}`,
    ...way,
    ca: authority.ca,
    tlsKey: tls.jwk,
    resultKeys,
    received: tasks.received,
    close,
  };
}

/** Dials out like an executor that listens nowhere, with the product's own tunnel: the tunnel is not what is judged here. */
async function behindRelay(
  lab: Lab,
  name: string,
  caller: string,
  server: Server,
): Promise<{ relay: RelaySubject; tokenKey: string }> {
  const [ours, theirs] = [makeKeys(lab, `${name}-tunnel`), makeKeys(lab, `${name}-relay-gate`)];
  const relay = await relaySubject(lab, `${name}-relay`, {
    executors: [{ peer: FAKE_PEER, route: ROUTE, keys: ours.public }],
    coordinators: [{ peer: caller, keys: theirs.public, routes: [ROUTE] }],
  });
  const tunnel = openTunnelEnd(lab, name, relay, {
    peer: FAKE_PEER,
    route: ROUTE,
    keyFile: ours.private,
    onConnection: (connection) => void server.emit('connection', connection),
  });
  await tunnel.up;
  return { relay, tokenKey: theirs.private };
}
