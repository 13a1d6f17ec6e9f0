/** Four ways from the client to one executor over TLS: what stands between is compared. */
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { until } from '../../harness/lab/deadline.js';
import type { StoredKey } from '../../identity/key-file.js';
import { openAuthority } from '../../identity/testing/authority.js';
import type { RelayTarget } from '../../relay/dial-websocket.js';
import { RelayRefused } from '../../relay/dial-websocket.js';
import { CALLER, HOST, type Requests } from '../client/requests.js';
import { executorFiles } from '../executor-files.js';
import type { Missing } from '../measurement.js';
import { scratch } from '../scratch.js';
import { type ServerProcess, startServer } from '../server-process.js';
import { dialDirect, dialThrough, RELAY, RELAY_HOST, ROUTE, relayFiles, targetOf } from './dial.js';
import { findNginx, type NginxKind, startNginx } from './nginx.js';
import { cpuOf } from './process-usage.js';

const TUNNEL_MS = 10_000;

export type WayName = 'direct' | 'relayed' | 'nginx stream' | 'nginx http';

/** The relay is judged by the first one's ratio to the second. */
const WAY_NAMES: readonly WayName[] = ['relayed', 'nginx stream', 'direct', 'nginx http'];

export interface Way {
  name: WayName;
  /** A new connection on which requests to the executor can be written. */
  dial(): Promise<Duplex>;
  /** The processes that serve it: the executor, and what stands between. */
  pids: number[];
  /** µs of CPU that these have spent so far. */
  cpu(): number;
}

export interface Ways {
  executor: ServerProcess;
  requests: Requests;
  ways: Way[];
  /** How a peer with one of the relay's spare registrations reaches it; none without the relay. */
  spare?: { pid: number; target(peer: string): RelayTarget } | undefined;
  /** Collects the garbage of those processes that have any. */
  collect(): Promise<void>;
  missing: Missing[];
  close(): Promise<void>;
}

/** Starts what these ways need and nothing else; `flags` are Node's. */
export async function openWays(
  flags: readonly string[],
  names: readonly WayName[] = WAY_NAMES,
): Promise<Ways> {
  const { folder, remove } = scratch();
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const one of opened.reverse()) await one.close();
    remove();
  };
  try {
    const authority = await openAuthority(folder);
    const ca = readFileSync(authority.ca, 'utf8');
    const own = await authority.issue('oab-b', { dns: [HOST] });
    const listen = { address: '127.0.0.1:0', tls: { cert: own.cert, key: own.key } };
    const relayed = names.includes('relayed');
    const files = relayFiles(folder, await authority.issue(RELAY, { dns: [RELAY_HOST] }));
    const relay = relayed ? await startServer('relay', [files.file], flags) : undefined;
    if (relay !== undefined) opened.push(relay);
    const entry = relay && {
      relay: RELAY,
      url: `wss://${RELAY_HOST}/`,
      connect: `127.0.0.1:${relay.port}`,
      ca: authority.ca,
      route: ROUTE,
      key: files.executorKey,
    };
    const { file, requests } = executorFiles(folder, {
      listen,
      public_url: `https://${HOST}/`,
      ...(entry === undefined ? {} : { relays: [entry] }),
    });
    const executor = await startServer('ours', [file], flags);
    opened.push(executor);
    const way = (name: WayName, dial: Way['dial'], ...between: number[]): Way => {
      const pids = [executor.pid, ...between];
      return { name, dial, pids, cpu: () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0) };
    };
    const ways = new Map<WayName, Way>([['direct', way('direct', () => dialDirect(executor.port, ca))]]);
    if (relay !== undefined) {
      const target = targetOf(relay.port, ca, CALLER, files.keys.coordinator);
      await untilRouted(() => dialThrough(target, ca));
      ways.set(
        'relayed',
        way('relayed', () => dialThrough(target, ca), relay.pid),
      );
    }
    const found = findNginx();
    const missing: Missing[] = [];
    for (const kind of ['stream', 'http'] satisfies NginxKind[]) {
      const name = `nginx ${kind}` as const;
      if (!names.includes(name)) continue;
      const absent = found.missing[kind];
      if (absent !== undefined) {
        missing.push({ label: name, why: absent });
        continue;
      }
      const { streamModule } = found;
      const nginx = await startNginx(kind, {
        folder,
        executor: executor.port,
        host: HOST,
        cert: own.cert,
        key: own.key,
        ca: authority.ca,
        ...(streamModule === undefined ? {} : { streamModule }),
      });
      opened.push(nginx);
      ways.set(
        name,
        way(name, () => dialDirect(nginx.port, ca), nginx.pid),
      );
    }
    return {
      executor,
      requests,
      ways: WAY_NAMES.flatMap((name) => (names.includes(name) ? (ways.get(name) ?? []) : [])),
      spare: relay && spareOf(relay, ca, files.keys.spare),
      async collect() {
        await executor.usage();
        await relay?.usage();
      },
      missing,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function spareOf({ pid, port }: ServerProcess, ca: string, key: StoredKey) {
  return { pid, target: (peer: string) => targetOf(port, ca, peer, key) };
}

/** The executor says that it is ready when it listens; its tunnel may be up a little later. */
async function untilRouted(dial: () => Promise<Duplex>): Promise<void> {
  const routed = async () => {
    try {
      (await dial()).destroy();
      return true;
    } catch (error) {
      if (!(error instanceof RelayRefused) || error.status !== 503) throw error;
      return undefined;
    }
  };
  await until(routed, { ms: TUNNEL_MS, what: 'the executor’s tunnel', everyMs: 10 });
}
