/** executor.yaml: its schema, and what the executor makes of it. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import type { AgentConfig } from '../../executor/agent/config.js';
import type { ExecutorConfig } from '../../executor/config.js';
import type { TlsPaths } from '../../identity/tls-files.js';
import { CAPABILITIES } from '../../profile/capabilities.js';
import type { TunnelClientOptions } from '../../relay/tunnel-client.js';
import { VERSION } from '../version.js';
import { ConfigError } from './config-error.js';
import { consistency, files } from './executor-checks.js';
import { readYaml } from './read-yaml.js';
import { type RelaySettings, relaySettings, relayUrl } from './relay-entry.js';
import { SPOKEN, type SpokenBinding } from './spoken.js';
import {
  address,
  count,
  dialled,
  duration,
  notAvailable,
  path,
  peerId,
  rate,
  route,
  shortTime,
  size,
  someTime,
  webUrl,
} from './units.js';

const capability = z.enum(CAPABILITIES as [string, ...string[]], {
  error: `must be one of ${CAPABILITIES.join(', ')}`,
});
const MIB = 1024 * 1024;

export const executorSchema = z.strictObject({
  peer: peerId,
  listen: z.strictObject({
    /** Absent: it listens nowhere, and is reached through its relays alone. */
    address: address.optional(),
    tls: z.strictObject({ cert: path, key: path, client_ca: path.optional() }).optional(),
  }),
  public_url: webUrl,
  insecure_loopback: z.boolean().default(false),
  bindings: z
    .array(z.enum(SPOKEN, { error: `must be one of ${SPOKEN.join(', ')} in this version` }))
    .min(1)
    .default(['JSONRPC']),
  keys: z.strictObject({ results: path, reread: shortTime.prefault('30s') }),
  peers: z.array(
    z.strictObject({
      peer: peerId,
      token_keys: path.optional(),
      tls_key: path.optional(),
      capabilities: z.array(capability),
      max_running: count.default(4),
    }),
  ),
  capabilities: z.array(capability),
  limits: z
    .strictObject({
      running: count.default(8),
      task: size.prefault('64KiB'),
      deadline: someTime.prefault('1h'),
      output: size
        .refine((bytes) => bytes <= 1.5 * MIB, 'is above the ceiling of 1.5 MiB (1536KiB)')
        .prefault('1MiB'),
      event: size
        .refine((bytes) => bytes >= 64 * 1024 && bytes <= MIB, 'must be from 64KiB to 1MiB')
        .prefault('64KiB'),
      events: count.default(100_000),
      frame: size.prefault('4MiB'),
      rejected: count.default(1000),
      rate: rate.prefault('50/s'),
      clock_skew: duration.prefault('30s'),
    })
    .prefault({}),
  idempotency: z.strictObject({ window: duration.prefault('2h') }).prefault({}),
  stream: z
    .strictObject({
      heartbeat: duration
        .refine((ms) => ms >= 100 && ms <= 15_000, 'must be from 100ms to 15s')
        .prefault('15s'),
    })
    .prefault({}),
  journal: z.strictObject({
    sqlite: path,
    retention: duration.prefault('24h'),
    max_size: size.optional(),
  }),
  agent: z.strictObject({
    command: z.array(z.string().min(1)).min(1),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be names of variables')).default([]),
    workspace: path,
    read_only_mode: z.string().min(1).optional(),
    stop_grace: duration.refine((ms) => ms <= 3_600_000, 'must be at most 1h').prefault('10s'),
    startup: shortTime.prefault('30s'),
    home: path.optional(),
    sandbox: z.enum(['auto', 'off'], { error: 'must be auto or off in this version' }).default('auto'),
    coalesce: z.boolean().default(true),
    writable: z.array(path).default([]),
  }),
  relays: z
    .array(
      z.strictObject({
        relay: peerId,
        url: relayUrl('wss'),
        connect: dialled.optional(),
        ca: path.optional(),
        route,
        key: path.optional(),
        tls: z.strictObject({ cert: path, key: path }).optional(),
      }),
    )
    .max(16)
    .default([]),
  /** How a tunnel to a relay is dialled again, and found dead; by default it is asked as often as a stream beats. */
  reconnect: z
    .strictObject({ floor: shortTime.prefault('100ms'), ceiling: shortTime.prefault('5s') })
    .prefault({}),
  ping: z.strictObject({ interval: shortTime.optional(), timeout: shortTime.prefault('5s') }).prefault({}),
  metrics: notAvailable('metrics'),
});

export type ExecutorFile = z.output<typeof executorSchema>;

export interface ExecutorSettings {
  config: ExecutorConfig;
  agent: AgentConfig;
  /** `place` is where the configuration says it, for problems that only show when it is tried. */
  listen: { address?: { host: string; port: number }; place: string };
  relays: (RelaySettings & { route: string })[];
  tunnels: Pick<TunnelClientOptions, 'reconnect' | 'liveness'>;
  journal: { file: string; maxBytes?: number };
  resultKeys: string;
  /** Those that it serves. */
  bindings: readonly SpokenBinding[];
  tls?: TlsPaths;
  callers: CallerSettings[];
}

/** How one peer may prove who it is. */
export interface CallerSettings {
  peer: string;
  capabilities: readonly string[];
  /** Public halves of the keys that sign its tokens. */
  tokenKeys?: string;
  /** Public keys that its TLS certificate may have. */
  tlsKey?: string;
}

/** Throws ConfigError; every file that is named is looked at before anything listens. */
export function readExecutorFile(file: string): ExecutorSettings {
  const loaded = readYaml(file, executorSchema);
  const { value } = loaded;
  const { tls } = value.listen;
  const base = dirname(resolve(file));
  const at = (name: string) => (isAbsolute(name) ? name : join(base, name));
  const settings: ExecutorSettings = {
    config: {
      peer: value.peer,
      publicUrl: value.public_url,
      version: VERSION,
      required: true,
      capabilities: value.capabilities,
      peers: value.peers.map(({ peer, capabilities, max_running }) => ({
        peer,
        capabilities,
        maxRunning: max_running,
      })),
      limits: {
        running: value.limits.running,
        taskBytes: value.limits.task,
        deadlineMs: value.limits.deadline,
        outputBytes: value.limits.output,
        eventBytes: value.limits.event,
        events: value.limits.events,
        frameBytes: value.limits.frame,
        rejected: value.limits.rejected,
        rate: value.limits.rate,
        clockSkewMs: value.limits.clock_skew,
      },
      windowMs: value.idempotency.window,
      heartbeatMs: value.stream.heartbeat,
      retentionMs: value.journal.retention,
      stopGraceMs: value.agent.stop_grace,
      revocationMs: value.keys.reread,
    },
    agent: {
      command: value.agent.command as [string, ...string[]],
      env: value.agent.env,
      workspace: at(value.agent.workspace),
      stopGraceMs: value.agent.stop_grace,
      startupMs: value.agent.startup,
      coalesce: value.agent.coalesce,
      writable: value.agent.writable.map(at),
      ...(value.agent.read_only_mode === undefined ? {} : { readOnlyMode: value.agent.read_only_mode }),
      ...(value.agent.home === undefined ? {} : { home: at(value.agent.home) }),
    },
    listen: {
      place: loaded.place(['listen', 'address']),
      ...(value.listen.address === undefined ? {} : { address: value.listen.address }),
    },
    relays: value.relays.map((relay) => relaySettings(relay, at, relay.key)),
    tunnels: {
      reconnect: { floorMs: value.reconnect.floor, ceilingMs: value.reconnect.ceiling },
      liveness: {
        pingMs: value.ping.interval ?? value.stream.heartbeat,
        pongMs: value.ping.timeout,
      },
    },
    journal: {
      file: at(value.journal.sqlite),
      ...(value.journal.max_size === undefined ? {} : { maxBytes: value.journal.max_size }),
    },
    resultKeys: at(value.keys.results),
    bindings: value.bindings,
    ...(tls === undefined
      ? {}
      : {
          tls: {
            cert: at(tls.cert),
            key: at(tls.key),
            ...(tls.client_ca === undefined ? {} : { ca: at(tls.client_ca) }),
          },
        }),
    callers: value.peers.map(({ peer, capabilities, token_keys, tls_key }) => ({
      peer,
      capabilities,
      ...(token_keys === undefined ? {} : { tokenKeys: at(token_keys) }),
      ...(tls_key === undefined ? {} : { tlsKey: at(tls_key) }),
    })),
  };
  const found = [...consistency(loaded, settings), ...files(loaded, settings)];
  if (found.length > 0) throw new ConfigError(found);
  return settings;
}
