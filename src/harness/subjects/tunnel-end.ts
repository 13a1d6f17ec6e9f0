/** The harness at an executor's end of a tunnel, and the key files that peers of a relay need. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { writeKeyFile } from '../../identity/key-file.js';
import { openKeyStore } from '../../identity/key-store.js';
import { newKey } from '../../identity/new-key.js';
import { mintRelayToken } from '../../identity/relay-token.js';
import { openTunnel, type TunnelClient } from '../../relay/tunnel-client.js';
import { silentLog } from '../../telemetry/log.js';
import type { Lab } from '../lab/ports.js';
import type { RelaySubject } from './relay-subject.js';

/** Paths of a fresh key and of its public half, in the lab's folder. */
export function makeKeys(lab: Lab, name: string): { private: string; public: string } {
  const key = newKey(Date.now() - 60_000);
  const at = (ending: string) => join(lab.folder, `${name}.${ending}`);
  writeKeyFile(at('jwks'), [key], 'private');
  writeKeyFile(at('pub.jwks'), [key], 'public');
  return { private: at('jwks'), public: at('pub.jwks') };
}

interface TunnelEnd {
  peer: string;
  route: string;
  keyFile: string;
  onConnection(connection: Duplex): void;
  /** How long it stays away after a newer tunnel of its route. */
  ceilingMs?: number;
  /** What the relay may send ahead of its reader, in bytes. */
  streamWindow?: number | undefined;
}

const STREAM_WINDOW = 256 * 1024;

/** A tunnel to the relay over its executor-side link, closed with the lab. */
export function openTunnelEnd(
  lab: Lab,
  name: string,
  relay: RelaySubject,
  { peer, route, keyFile, onConnection, ceilingMs = 500, streamWindow = STREAM_WINDOW }: TunnelEnd,
): TunnelClient {
  const keys = openKeyStore(keyFile);
  const ca = readFileSync(relay.ca, 'utf8');
  const tunnel = openTunnel({
    target: {
      url: relay.url,
      connect: relay.executorLink.connect,
      route,
      tls: () => ({ ca }),
      credentials: () =>
        mintRelayToken(keys.active(), { peer, relay: relay.id, now: Date.now(), jti: name, lifetime: 60 }),
    },
    reconnect: { floorMs: 20, ceilingMs },
    liveness: { pingMs: 250, pongMs: 5000 },
    streamWindow,
    maxStreams: 1000,
    onConnection,
    log: silentLog,
    random: () => 0.5,
  });
  lab.onClose(`the tunnel of ${name}`, () => tunnel.close(0));
  return tunnel;
}
