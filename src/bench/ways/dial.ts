/** How each way is dialled, and the files of the relay. The TLS that ends at the far end is the client's own on every way. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { type StoredKey, writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { mintRelayToken } from '../../identity/relay-token.js';
import type { Issued } from '../../identity/testing/authority.js';
import type { RelayTarget } from '../../relay/dial-websocket.js';
import { connectThrough } from '../../relay/through-relay.js';
import { CALLER, EXECUTOR, HOST } from '../client/requests.js';

export const RELAY = 'relay-1';
export const RELAY_HOST = 'relay-1.bench';
export const ROUTE = `${HOST}:443`;
const DIAL_MS = 10_000;
/** Executors that the relay knows besides: for what is measured of tunnels that only stand there. */
export const SPARE = Array.from({ length: 200 }, (_, index) => ({
  peer: `oab-spare-${index}`,
  route: `oab-spare-${index}.bench:443`,
}));

export interface RelayKeys {
  coordinator: StoredKey;
  executor: StoredKey;
  spare: StoredKey;
}

/** The relay's configuration, and the key file that the executor signs its tokens for the relay with. */
export function relayFiles(
  folder: string,
  { cert, key }: Issued,
): { file: string; executorKey: string; keys: RelayKeys } {
  const now = Date.now();
  const keys = { coordinator: newKey(now), executor: newKey(now), spare: newKey(now) };
  for (const [name, one] of Object.entries(keys))
    writeKeyFile(join(folder, `${name}.relay.pub.jwks`), [one], 'public');
  const executorKey = join(folder, 'executor.relay.jwks');
  writeKeyFile(executorKey, [keys.executor], 'private');
  const file = join(folder, 'relay.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      relay: RELAY,
      listen: { address: '127.0.0.1:0', tls: { cert, key } },
      executors: [
        { peer: EXECUTOR, route: ROUTE, key: 'executor.relay.pub.jwks' },
        ...SPARE.map((one) => ({ ...one, key: 'spare.relay.pub.jwks' })),
      ],
      coordinators: [{ peer: CALLER, token_keys: 'coordinator.relay.pub.jwks', routes: [ROUTE] }],
    }),
  );
  return { file, executorKey, keys };
}

/** How `peer` reaches the relay. */
export function targetOf(
  port: number,
  ca: string,
  peer: string,
  { kid, privateKey }: StoredKey,
): RelayTarget {
  if (privateKey === undefined) throw new Error('a peer of the relay needs its private key');
  return {
    url: `https://${RELAY_HOST}/`,
    connect: `127.0.0.1:${port}`,
    tls: () => ({ ca }),
    credentials: () =>
      mintRelayToken(
        { kid, key: privateKey },
        { peer, relay: RELAY, now: Date.now(), jti: randomUUID(), lifetime: 300 },
      ),
  };
}

/** TLS to a port of this machine, by whoever has the executor's certificate there. */
export function dialDirect(port: number, ca: string): Promise<Duplex> {
  return secured({ host: '127.0.0.1', port }, ca);
}

/** CONNECT at the relay, over TLS, and TLS with the executor inside. */
export async function dialThrough(target: RelayTarget, ca: string): Promise<Duplex> {
  const way = await connectThrough({ ...target, transport: 'connect' }, ROUTE, DIAL_MS);
  return secured({ socket: way }, ca);
}

function secured(to: { host: string; port: number } | { socket: Duplex }, ca: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ ...to, ca, servername: HOST, minVersion: 'TLSv1.3' });
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
