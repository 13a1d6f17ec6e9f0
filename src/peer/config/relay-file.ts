/** relay.yaml: its schema, and what the relay makes of it. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { readKeyFile } from '../../identity/key-file.js';
import { openPinnedKeys } from '../../identity/pinned-keys.js';
import { openTlsFiles, type TlsPaths } from '../../identity/tls-files.js';
import { ConfigError } from './config-error.js';
import { readYaml } from './read-yaml.js';
import { address, count, duration, notAvailable, path, peerId, route, shortTime, size } from './units.js';

export const relaySchema = z.strictObject({
  relay: peerId,
  listen: z.strictObject({
    address,
    tls: z.strictObject({ cert: path, key: path, client_ca: path.optional() }),
  }),
  executors: z.array(z.strictObject({ peer: peerId, route, key: path.optional(), tls_key: path.optional() })),
  coordinators: z.array(
    z.strictObject({
      peer: peerId,
      token_keys: path.optional(),
      tls_key: path.optional(),
      routes: z.array(route),
    }),
  ),
  limits: z
    .strictObject({
      tunnels: count.default(1000),
      streams: count.default(1000),
      buffer: size
        .refine((bytes) => bytes >= 65_536 && bytes <= 16 * 1024 * 1024, 'must be from 64KiB to 16MiB')
        .prefault('1MiB'),
      clock_skew: duration.prefault('30s'),
    })
    .prefault({}),
  ping: z
    .strictObject({ interval: shortTime.prefault('15s'), timeout: shortTime.prefault('10s') })
    .prefault({}),
  keys: z.strictObject({ reread: shortTime.prefault('30s') }).prefault({}),
  metrics: notAvailable('metrics'),
});

/** How one peer may prove itself to the relay, and for which routes. */
export interface RelayPeerSettings {
  peer: string;
  routes: readonly string[];
  tokenKeys?: string;
  tlsKey?: string;
}

export interface RelayFileSettings {
  relay: string;
  listen: { host: string; port: number; place: string };
  tls: TlsPaths;
  executors: RelayPeerSettings[];
  coordinators: RelayPeerSettings[];
  limits: { tunnels: number; streams: number; bufferBytes: number };
  skewMs: number;
  liveness: { pingMs: number; pongMs: number };
  rereadMs: number;
}

/** Throws ConfigError; every file that is named is looked at before anything listens. */
export function readRelayFile(file: string): RelayFileSettings {
  const { value, place } = readYaml(file, relaySchema);
  const base = dirname(resolve(file));
  const at = (name: string) => (isAbsolute(name) ? name : join(base, name));
  const peer = (name: string, routes: readonly string[], tokens?: string, pin?: string) => ({
    peer: name,
    routes,
    ...(tokens === undefined ? {} : { tokenKeys: at(tokens) }),
    ...(pin === undefined ? {} : { tlsKey: at(pin) }),
  });
  const { cert, key, client_ca } = value.listen.tls;
  const settings: RelayFileSettings = {
    relay: value.relay,
    listen: { ...value.listen.address, place: place(['listen', 'address']) },
    tls: { cert: at(cert), key: at(key), ...(client_ca === undefined ? {} : { ca: at(client_ca) }) },
    executors: value.executors.map((one) => peer(one.peer, [one.route], one.key, one.tls_key)),
    coordinators: value.coordinators.map((one) => peer(one.peer, one.routes, one.token_keys, one.tls_key)),
    limits: {
      tunnels: value.limits.tunnels,
      streams: value.limits.streams,
      bufferBytes: value.limits.buffer,
    },
    skewMs: value.limits.clock_skew,
    liveness: { pingMs: value.ping.interval, pongMs: value.ping.timeout },
    rereadMs: value.keys.reread,
  };
  const found = [...files(settings, place), ...consistency(value, place)];
  if (found.length > 0) throw new ConfigError(found);
  return settings;
}

type Place = (keyPath: readonly PropertyKey[]) => string;

function files({ tls, executors, coordinators }: RelayFileSettings, place: Place): string[] {
  const found: string[] = [];
  const look = (keyPath: PropertyKey[], open: () => unknown) => {
    try {
      open();
    } catch (error) {
      found.push(`${place(keyPath)}: ${(error as Error).message}`);
    }
  };
  look(['listen', 'tls'], () => openTlsFiles(tls));
  for (const [list, peers, key] of [
    ['executors', executors, 'key'],
    ['coordinators', coordinators, 'token_keys'],
  ] as const) {
    for (const [index, { tokenKeys, tlsKey }] of peers.entries()) {
      if (tokenKeys !== undefined) look([list, index, key], () => readKeyFile(tokenKeys));
      if (tlsKey !== undefined) look([list, index, 'tls_key'], () => openPinnedKeys(tlsKey));
      if (tokenKeys === undefined && tlsKey === undefined && tls.ca === undefined)
        found.push(
          `${place([list, index])}: nothing to know this peer by; give ${key}, tls_key, or listen.tls.client_ca`,
        );
    }
  }
  return found;
}

function consistency({ executors, coordinators }: z.output<typeof relaySchema>, place: Place): string[] {
  const found: string[] = [];
  const twice = (list: string, key: string, values: readonly string[]) => {
    const index = values.findIndex((value, at) => values.indexOf(value) !== at);
    if (index !== -1) found.push(`${place([list, index, key])}: is configured twice`);
  };
  twice(
    'executors',
    'peer',
    executors.map(({ peer }) => peer),
  );
  twice(
    'executors',
    'route',
    executors.map(({ route: own }) => own),
  );
  twice(
    'coordinators',
    'peer',
    coordinators.map(({ peer }) => peer),
  );
  for (const [index, { routes }] of coordinators.entries())
    for (const granted of routes)
      if (!executors.some(({ route: own }) => own === granted))
        found.push(`${place(['coordinators', index, 'routes'])}: ${granted} is no executor's route`);
  return found;
}
