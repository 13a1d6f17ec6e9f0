/** A relay, an executor behind it that is a plain HTTPS server, and coordinators, in one process over real sockets. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { newKey } from '../../identity/new-key.js';
import type { TrustedKey } from '../../identity/ports.js';
import { mintRelayToken } from '../../identity/relay-token.js';
import { type Authority, type Issued, openAuthority } from '../../identity/testing/authority.js';
import { type Log, silentLog } from '../../telemetry/log.js';
import type { RelayConfig } from '../config.js';
import { permits, type RelayPeer } from '../policy.js';
import { Registry } from '../registry.js';
import { openRelay, type Relay } from '../relay.js';
import { splice } from '../splice.js';
import { connectThrough, type ProxyTarget } from '../through-relay.js';
import { openTunnel, type TunnelClient, type TunnelClientOptions } from '../tunnel-client.js';

export const ROUTE = 'oab-b.lab:443';
const text = (path: string) => readFileSync(path, 'utf8');
const keys = new Map<string, ReturnType<typeof newKey>>();

/** The key of a peer of the bench; the same for the same name. */
export function keyOf(peer: string) {
  const known = keys.get(peer) ?? newKey(Date.now() - 60_000);
  keys.set(peer, known);
  return known;
}

export function peerOf(peer: string, routes: readonly string[], key = keyOf(peer)): RelayPeer {
  const trusted: TrustedKey = { kid: key.kid, key: key.publicKey, notBefore: key.notBefore, state: 'active' };
  return {
    peer,
    routes,
    tokens: { find: (kid) => (kid === key.kid ? trusted : undefined), publicJwks: () => [] },
  };
}

export function tokenOf(
  peer: string,
  more: { relay?: string; lifetime?: number; now?: number } = {},
): string {
  const { kid, privateKey } = keyOf(peer);
  if (privateKey === undefined) throw new Error('no private key');
  return mintRelayToken(
    { kid, key: privateKey },
    { peer, relay: 'relay-1', now: Date.now(), jti: 'j', lifetime: 60, ...more },
  );
}

export class RelayBench {
  readonly executorServer: Server;
  relay!: Relay;
  /** What the relay logged at info and above. */
  readonly logged: string[] = [];
  #tunnels: TunnelClient[] = [];
  #sockets = new Set<Duplex>();

  private constructor(
    /** Of the authority's files; removed on close. */
    private readonly folder: string,
    readonly authority: Authority,
    readonly relayCert: Issued,
    executorCert: Issued,
    handler: (request: IncomingMessage, response: ServerResponse) => void,
  ) {
    this.executorServer = createServer(
      { cert: text(executorCert.cert), key: text(executorCert.key), minVersion: 'TLSv1.3' },
      handler,
    );
  }

  static async open(
    handler: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
      response.end('hello'),
    change: Partial<RelayConfig> = {},
  ): Promise<RelayBench> {
    const folder = mkdtempSync(join(tmpdir(), 'oab-relay-'));
    const authority = await openAuthority(folder);
    const bench = new RelayBench(
      folder,
      authority,
      await authority.issue('relay-1', { dns: ['relay-1.lab'] }),
      await authority.issue('oab-b', { dns: ['oab-b.lab'] }),
      handler,
    );
    await bench.startRelay(change);
    return bench;
  }

  async startRelay(change: Partial<RelayConfig> = {}, port = 0): Promise<void> {
    const { cert, key } = this.relayCert;
    this.relay = await openRelay(
      '127.0.0.1',
      port,
      { cert: text(cert), key: text(key), ca: text(this.authority.ca), askCertificate: true },
      {
        relay: 'relay-1',
        executors: [peerOf('oab-b', [ROUTE]), peerOf('oab-c', ['oab-c.lab:443'])],
        coordinators: [peerOf('gate', [ROUTE]), peerOf('gate-other', [])],
        limits: { tunnels: 10, streams: 100, bufferBytes: 256 * 1024 },
        liveness: { pingMs: 15_000, pongMs: 5000 },
        skewMs: 30_000,
        ...change,
      },
      { now: Date.now, log: this.#log(), registry: () => new Registry(), splice, permits },
    );
  }

  #log(): Log {
    const at =
      (level: string) =>
      (fields: Record<string, unknown>, message: string): void =>
        void this.logged.push(`${level} ${message} ${String(fields.refusal ?? '')}`.trim());
    return { ...silentLog, info: at('info'), warn: at('warn') } as unknown as Log;
  }

  /** A tunnel of `peer` for `route`; the connections go to the bench's executor unless told otherwise. */
  tunnel(
    change: Partial<TunnelClientOptions> & { peer?: string; route?: string; connect?: string } = {},
  ): TunnelClient {
    const { peer = 'oab-b', route = ROUTE, connect = this.relay.address, ...more } = change;
    const tunnel = openTunnel({
      target: {
        url: 'wss://relay-1.lab/',
        connect,
        route,
        tls: () => ({ ca: text(this.authority.ca) }),
        credentials: () => tokenOf(peer),
      },
      reconnect: { floorMs: 10, ceilingMs: 100 },
      liveness: { pingMs: 15_000, pongMs: 5000 },
      streamWindow: 256 * 1024,
      maxStreams: 100,
      onConnection: (connection) => void this.executorServer.emit('connection', connection),
      log: silentLog,
      random: Math.random,
      ...more,
    });
    this.#tunnels.push(tunnel);
    return tunnel;
  }

  target(change: Partial<ProxyTarget> = {}): ProxyTarget {
    return {
      url: 'https://relay-1.lab/',
      connect: this.relay.address,
      transport: 'connect',
      tls: () => ({ ca: text(this.authority.ca) }),
      credentials: () => tokenOf('gate'),
      ...change,
    };
  }

  /** A TLS connection that ends at the executor. */
  async connection(target = this.target(), authority = ROUTE): Promise<TLSSocket> {
    const through = await connectThrough(target, authority, 5000);
    const socket = tlsConnect({ socket: through, servername: 'oab-b.lab', ca: text(this.authority.ca) });
    this.#sockets.add(socket);
    await once(socket, 'secureConnect');
    return socket;
  }

  /** One request over a connection that stands. */
  ask(socket: TLSSocket, body = '', path = '/'): ClientRequest {
    const asked = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path,
      headers: { host: 'oab-b.lab', connection: 'keep-alive', 'content-length': Buffer.byteLength(body) },
    });
    asked.end(body);
    return asked;
  }

  async answer(asked: ClientRequest): Promise<{ status: number; text: string; digest: string }> {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    return {
      status: response.statusCode ?? 0,
      text: all.length > 1000 ? '' : all.toString(),
      digest: createHash('sha256').update(all).digest('hex'),
    };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#tunnels.map((tunnel) => tunnel.close(0)));
    await this.relay.close(0);
    this.executorServer.close();
    rmSync(this.folder, { recursive: true });
  }
}
