/** coordinator.yaml: its schema, and what the coordinator makes of it. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import type { CoordinatorConfig } from '../../coordinator/config.js';
import { readKeyFile } from '../../identity/key-file.js';
import { CAPABILITIES } from '../../profile/capabilities.js';
import { ConfigError } from './config-error.js';
import { readYaml } from './read-yaml.js';
import { dialled, duration, isLoopback, notAvailable, path, peerId, shortTime, webUrl } from './units.js';

const capability = z.enum(CAPABILITIES as [string, ...string[]], {
  error: `must be one of ${CAPABILITIES.join(', ')}`,
});

export const coordinatorSchema = z.strictObject({
  peer: peerId,
  insecure_loopback: z.boolean().default(false),
  keys: z.strictObject({ tokens: path }),
  store: path,
  peers: z.array(
    z.strictObject({
      peer: peerId,
      url: webUrl,
      connect: dialled.optional(),
      result_keys: path,
      bindings: z
        .array(z.enum(['JSONRPC'], { error: 'must be JSONRPC in this version' }))
        .min(1)
        .default(['JSONRPC']),
      capabilities: z.array(capability),
      ca: notAvailable('ca'),
      tls_key: notAvailable('tls_key'),
      relays: notAvailable('relays'),
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
  url: string;
  connect?: string;
  resultKeys: string;
}

export interface CoordinatorSettings {
  config: CoordinatorConfig;
  tokenKeys: string;
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
  look(['keys', 'tokens'], at(value.keys.tokens), true);
  value.peers.forEach((peer, index) => {
    look(['peers', index, 'result_keys'], at(peer.result_keys), false);
    const host = peer.connect?.host ?? new URL(peer.url).hostname.replace(/^\[|\]$/g, '');
    const plain = peer.url.startsWith('http:');
    if (!plain)
      found.push(
        `${place(['peers', index, 'url'])}: https is not available in this version; use http on loopback`,
      );
    else if (!value.insecure_loopback || !isLoopback(host)) {
      found.push(
        `${place(['peers', index, 'url'])}: plain HTTP is for loopback with insecure_loopback: true only`,
      );
    }
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
      // Plain HTTP is accepted on loopback alone, which nobody else terminates.
      peers: value.peers.map(({ peer, capabilities }) => ({
        peer,
        capabilities,
        endToEnd: value.insecure_loopback,
      })),
      reconnect: { floorMs: value.reconnect.floor, ceilingMs: value.reconnect.ceiling },
      clockSkewMs: value.clock_skew,
    },
    tokenKeys: at(value.keys.tokens),
    store: at(value.store),
    socket: `${at(value.store)}.sock`,
    timeoutMs: value.timeout,
    insecureLoopback: value.insecure_loopback,
    peers: value.peers.map(({ peer, url, connect, result_keys }) => ({
      peer,
      url,
      resultKeys: at(result_keys),
      ...(connect === undefined ? {} : { connect: `${bracketed(connect.host)}:${connect.port}` }),
    })),
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
