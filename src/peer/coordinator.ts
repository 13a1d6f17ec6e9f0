/** A coordinator from its configuration: store, keys, connections. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { DialTls } from '../bindings/http/dial.js';
import { connectHttpJson } from '../bindings/http-json/client.js';
import { connectJsonRpc } from '../bindings/jsonrpc/client.js';
import { connectOab, type OabClientOptions } from '../bindings/oab/client.js';
import { connectWss } from '../bindings/wss/client.js';
import type { PeerConnection } from '../coordinator/connection.js';
import { type Coordinator, createCoordinator } from '../coordinator/coordinator.js';
import { DelegateError } from '../coordinator/intend.js';
import type { CoordinatorParts } from '../coordinator/parts.js';
import { openStore } from '../coordinator/store.js';
import { openKeyStore } from '../identity/key-store.js';
import { openPinnedKeys } from '../identity/pinned-keys.js';
import { openTlsFiles, readCertificates } from '../identity/tls-files.js';
import { mintToken } from '../identity/token.js';
import { acceptResult } from '../profile/acceptance.js';
import type { Digest } from '../profile/model.js';
import { observation } from '../profile/observation.js';
import { createLog } from '../telemetry/log.js';
import {
  type CoordinatorSettings,
  type PeerSettings,
  readCoordinatorFile,
} from './config/coordinator-file.js';
import type { SpokenBinding } from './config/spoken.js';
import { pause } from './pause.js';
import { throughRelays } from './through-relays.js';

export type CoordinatorTransform = (
  parts: CoordinatorParts,
  settings: Pick<CoordinatorSettings, 'peers'>,
) => CoordinatorParts;

export interface OpenCoordinator {
  settings: CoordinatorSettings;
  coordinator: Coordinator;
  close(): void;
}

const CONNECT: Record<SpokenBinding, (options: OabClientOptions) => PeerConnection> = {
  JSONRPC: connectJsonRpc,
  'HTTP+JSON': connectHttpJson,
  WSS: connectWss,
  OAB: connectOab,
};

/** Tokens live shortly: one is made for every call. */
const TOKEN_SECONDS = 60;

/** Throws ConfigError or StoreUnusable before anything is sent. */
export function openCoordinator(
  file: string,
  transform: CoordinatorTransform = (parts) => parts,
): OpenCoordinator {
  const settings = readCoordinatorFile(file);
  const { config } = settings;
  const tokens = settings.tokenKeys === undefined ? undefined : openKeyStore(settings.tokenKeys);
  const ownTls = settings.tls && openTlsFiles(settings.tls);
  const pins = new Map(
    settings.peers.flatMap(({ peer, tlsKey }) =>
      tlsKey === undefined ? [] : [[peer, openPinnedKeys(tlsKey)] as const],
    ),
  );
  /** Read anew for each connection: a renewed certificate, CA or pin is in force with the next one. */
  const tlsOf = ({ peer, ca }: PeerSettings): DialTls => {
    const pinned = pins.get(peer);
    pinned?.reload();
    ownTls?.reload();
    return {
      ...(ca === undefined ? {} : { ca: readCertificates(ca) }),
      ...(pinned === undefined ? {} : { pinned: pinned.has }),
      ...(ownTls === undefined ? {} : { client: ownTls.current() }),
    };
  };
  const results = new Map(settings.peers.map(({ peer, resultKeys }) => [peer, openKeyStore(resultKeys)]));
  const store = openStore(settings.store);
  const parts = transform(
    {
      store,
      connect(peer, cap) {
        const entry = settings.peers.find((one) => one.peer === peer);
        if (entry === undefined) throw new DelegateError(`peer ${peer} is not configured any more`);
        const options = {
          url: entry.url,
          ...(entry.connect === undefined ? {} : { connect: entry.connect }),
          insecureLoopback: settings.insecureLoopback,
          timeoutMs: settings.timeoutMs,
          tls: () => tlsOf(entry),
          ...(entry.relays.length === 0 ? {} : { through: throughRelays(config.peer, entry.relays) }),
          credentials: (req?: Digest) => {
            if (tokens === undefined) return undefined;
            // A coordinator that stays up signs with a rotated key as soon as it is there.
            tokens.reload();
            return mintToken(tokens.active(), {
              caller: config.peer,
              executor: peer,
              cap,
              now: Date.now(),
              jti: randomUUID(),
              lifetime: TOKEN_SECONDS,
              ...(req === undefined ? {} : { req }),
            });
          },
        };
        return CONNECT[entry.binding]({ ...options, peer });
      },
      resultKey(peer, kid) {
        const keys = results.get(peer);
        keys?.reload();
        return keys?.find(kid);
      },
      accept: acceptResult,
      observation,
      log: createLog(config.peer, process.env.OAB_LOG ?? 'warn'),
      now: Date.now,
      monotonic: () => performance.now(),
      pause,
      random: Math.random,
      mint: (kind) => (kind === 'nonce' ? randomBytes(16).toString('hex') : `req-${randomUUID()}`),
    },
    settings,
  );
  return { settings, coordinator: createCoordinator(config, parts), close: () => store.close() };
}
