/** A coordinator from its configuration: store, keys, connections. */
import { randomBytes, randomUUID } from 'node:crypto';
import { connectJsonRpc } from '../bindings/jsonrpc/client.js';
import { type Coordinator, createCoordinator } from '../coordinator/coordinator.js';
import { DelegateError } from '../coordinator/intend.js';
import type { CoordinatorParts } from '../coordinator/parts.js';
import { openStore } from '../coordinator/store.js';
import { openKeyStore } from '../identity/key-store.js';
import { mintToken } from '../identity/token.js';
import { acceptResult } from '../profile/acceptance.js';
import { createLog } from '../telemetry/log.js';
import { type CoordinatorSettings, readCoordinatorFile } from './config/coordinator-file.js';
import { pause } from './pause.js';

export type CoordinatorTransform = (parts: CoordinatorParts) => CoordinatorParts;

export interface OpenCoordinator {
  settings: CoordinatorSettings;
  coordinator: Coordinator;
  close(): void;
}

/** Tokens live shortly: one is made for every call. */
const TOKEN_SECONDS = 60;

/** Throws ConfigError or StoreUnusable before anything is sent. */
export function openCoordinator(
  file: string,
  transform: CoordinatorTransform = (parts) => parts,
): OpenCoordinator {
  const settings = readCoordinatorFile(file);
  const { config } = settings;
  const tokens = openKeyStore(settings.tokenKeys);
  const results = new Map(settings.peers.map(({ peer, resultKeys }) => [peer, openKeyStore(resultKeys)]));
  const store = openStore(settings.store);
  const parts = transform({
    store,
    connect(peer, cap) {
      const entry = settings.peers.find((one) => one.peer === peer);
      if (entry === undefined) throw new DelegateError(`peer ${peer} is not configured any more`);
      return connectJsonRpc({
        url: entry.url,
        ...(entry.connect === undefined ? {} : { connect: entry.connect }),
        insecureLoopback: settings.insecureLoopback,
        timeoutMs: settings.timeoutMs,
        credentials: (req) => {
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
      });
    },
    resultKey(peer, kid) {
      const keys = results.get(peer);
      keys?.reload();
      return keys?.find(kid);
    },
    accept: acceptResult,
    log: createLog(config.peer, process.env.OAB_LOG ?? 'warn'),
    now: Date.now,
    monotonic: () => performance.now(),
    pause,
    random: Math.random,
    mint: (kind) => (kind === 'nonce' ? randomBytes(16).toString('hex') : `req-${randomUUID()}`),
  });
  return { settings, coordinator: createCoordinator(config, parts), close: () => store.close() };
}
