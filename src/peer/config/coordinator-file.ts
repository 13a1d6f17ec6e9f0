/** coordinator.yaml: its schema, and what the coordinator makes of it. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import type { CoordinatorConfig } from '../../coordinator/config.js';
import { readKeyFile } from '../../identity/key-file.js';
import { openPinnedKeys } from '../../identity/pinned-keys.js';
import { openTlsFiles, readCertificates, type TlsPaths } from '../../identity/tls-files.js';
import { CAPABILITIES } from '../../profile/capabilities.js';
import { ConfigError } from './config-error.js';
import { readYaml } from './read-yaml.js';
import { type RelaySettings, relayFiles, relaySettings, relayUrl } from './relay-entry.js';
import { SPOKEN, type SpokenBinding } from './spoken.js';
import { dialled, duration, isLoopback, notAvailable, path, peerId, shortTime, webUrl } from './units.js';

const capability = z.enum(CAPABILITIES as [string, ...string[]], {
  error: `must be one of ${CAPABILITIES.join(', ')}`,
});

export const coordinatorSchema = z.strictObject({
  peer: peerId,
  insecure_loopback: z.boolean().default(false),
  /** Absent: this coordinator proves itself by its TLS certificate alone. */
  keys: z.strictObject({ tokens: path }).optional(),
  /** Its own certificate, for executors that ask for one. */
  tls: z.strictObject({ cert: path, key: path }).optional(),
  store: path,
  peers: z.array(
    z.strictObject({
      peer: peerId,
      url: webUrl,
      connect: dialled.optional(),
      result_keys: path,
      /** The first is the one that is spoken to this peer. */
      bindings: z
        .array(z.enum(SPOKEN, { error: `must be one of ${SPOKEN.join(', ')} in this version` }))
        .min(1)
        .default(['JSONRPC']),
      capabilities: z.array(capability),
      ca: path.optional(),
      tls_key: path.optional(),
      /** Absent or empty: the executor is dialled directly. Several are tried in turn. */
      relays: z
        .array(
          z.strictObject({
            relay: peerId,
            url: relayUrl('https'),
            connect: dialled.optional(),
            ca: path.optional(),
            token_key: path.optional(),
            tls: z.strictObject({ cert: path, key: path }).optional(),
            transport: z.enum(['connect', 'websocket']).default('connect'),
          }),
        )
        .max(16)
        .default([]),
    }),
  ),
  reconnect: z
    .strictObject({ floor: shortTime.prefault('100ms'), ceiling: shortTime.prefault('5s') })
    .prefault({}),
  clock_skew: duration.prefault('30s'),
  /** For one unary answer. */
  timeout: shortTime.prefault('30s'),
  metrics: notAvailable('metrics'),
});

export interface PeerSettings {
  peer: string;
  binding: SpokenBinding;
  url: string;
  connect?: string;
  resultKeys: string;
  /** PEM file of the authorities of its certificate. */
  ca?: string;
  /** Public keys that its certificate may have. */
  tlsKey?: string;
  relays: (RelaySettings & { transport: 'connect' | 'websocket' })[];
}

export interface CoordinatorSettings {
  config: CoordinatorConfig;
  tokenKeys?: string;
  tls?: TlsPaths;
  store: string;
  socket: string;
  timeoutMs: number;
  insecureLoopback: boolean;
  peers: PeerSettings[];
}

/** Throws ConfigError; every file that is named is looked at before anything is sent. */
export function readCoordinatorFile(file: string): CoordinatorSettings {
  const { value, place } = readYaml(file, coordinatorSchema);
  const base = dirname(resolve(file));
  const at = (name: string) => (isAbsolute(name) ? name : join(base, name));
  const found: string[] = [];
  const look = (keyPath: PropertyKey[], keyFile: string, signing: boolean) => {
    try {
      const usable = readKeyFile(keyFile).some(
        ({ state, privateKey }) => state === 'active' && (!signing || privateKey !== undefined),
      );
      if (!usable)
        found.push(
          `${place(keyPath)}: ${keyFile}: no active ${signing ? 'private ' : ''}key; "oab-peer keys new" makes one`,
        );
    } catch (error) {
      found.push(`${place(keyPath)}: ${(error as Error).message}`);
    }
  };
  const open = (keyPath: PropertyKey[], read: () => unknown) => {
    try {
      read();
    } catch (error) {
      found.push(`${place(keyPath)}: ${(error as Error).message}`);
    }
  };
  const tls = value.tls && { cert: at(value.tls.cert), key: at(value.tls.key) };
  if (tls !== undefined) open(['tls'], () => openTlsFiles(tls));
  if (value.keys !== undefined) look(['keys', 'tokens'], at(value.keys.tokens), true);
  else if (tls === undefined)
    found.push(`${place(['keys'])}: nothing to prove itself by; give keys.tokens, or tls with a certificate`);
  value.peers.forEach(({ url, connect, result_keys, ca, tls_key, relays }, index) => {
    for (const [number, relay] of relays.entries())
      for (const [name, read] of relayFiles(relaySettings(relay, at, relay.token_key)))
        open(['peers', index, 'relays', number, name === 'key' ? 'token_key' : name], read);
    if (relays.length > 0 && connect !== undefined)
      found.push(`${place(['peers', index, 'connect'])}: is for a direct connection; a relay has its own`);
    if (relays.length > 0 && !url.startsWith('https:'))
      found.push(`${place(['peers', index, 'url'])}: must be https, since TLS runs through the relay`);
    look(['peers', index, 'result_keys'], at(result_keys), false);
    if (ca !== undefined) open(['peers', index, 'ca'], () => readCertificates(at(ca)));
    if (tls_key !== undefined) open(['peers', index, 'tls_key'], () => openPinnedKeys(at(tls_key)));
    if (url.startsWith('https:')) return;
    const host = connect?.host ?? new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (!value.insecure_loopback || !isLoopback(host))
      found.push(
        `${place(['peers', index, 'url'])}: plain HTTP is for loopback with insecure_loopback: true only; use https`,
      );
    for (const [key, given] of Object.entries({ ca, tls_key }))
      if (given !== undefined) found.push(`${place(['peers', index, key])}: needs an https url`);
  });
  if (value.reconnect.floor > value.reconnect.ceiling)
    found.push(`${place(['reconnect', 'floor'])}: is above the ceiling`);
  const names = value.peers.map(({ peer }) => peer);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) found.push(`${place(['peers', twice, 'peer'])}: is configured twice`);
  if (found.length > 0) throw new ConfigError(found);
  return {
    config: {
      peer: value.peer,
      // A pinned key, or being known by our certificate alone, shows that nobody in between ended the channel; plain
      // HTTP is accepted on loopback only. A CA by itself shows nothing of the kind (section 6), nor does a certificate
      // beside tokens, since the other side may never have asked for it.
      peers: value.peers.map(({ peer, capabilities, url, tls_key }) => ({
        peer,
        capabilities,
        endToEnd: tls_key !== undefined || value.keys === undefined || !url.startsWith('https:'),
      })),
      reconnect: { floorMs: value.reconnect.floor, ceilingMs: value.reconnect.ceiling },
      clockSkewMs: value.clock_skew,
    },
    ...(value.keys === undefined ? {} : { tokenKeys: at(value.keys.tokens) }),
    ...(tls === undefined ? {} : { tls }),
    store: at(value.store),
    socket: `${at(value.store)}.sock`,
    timeoutMs: value.timeout,
    insecureLoopback: value.insecure_loopback,
    peers: value.peers.map(({ peer, url, connect, result_keys, bindings, ca, tls_key, relays }) => ({
      peer,
      binding: bindings[0] as SpokenBinding,
      url,
      resultKeys: at(result_keys),
      relays: relays.map(({ token_key, ...relay }) => relaySettings(relay, at, token_key)),
      ...(ca === undefined ? {} : { ca: at(ca) }),
      ...(tls_key === undefined ? {} : { tlsKey: at(tls_key) }),
      ...(connect === undefined ? {} : { connect: `${bracketed(connect.host)}:${connect.port}` }),
    })),
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
