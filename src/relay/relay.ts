/**
 * The blind relay: executors dial in and stay, coordinators ask by HTTP CONNECT (RFC 9110 section 9.3.6) for the
 * authority of an executor, and bytes are spliced. TLS between the peers goes through it end to end.
 */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { credentialsOf } from '../bindings/http/credentials.js';
import type { ListenerTls } from '../bindings/http/listener.js';
import type { Log } from '../telemetry/log.js';
import { type Counted, type Refusal, refuse } from './answers.js';
import type { RelayConfig } from './config.js';
import { createPolicy, type RelayPeer, type Stands } from './policy.js';
import { CONNECT_PROTOCOL, INSTANCE, MAX_MESSAGE, TUNNEL_PROTOCOL } from './protocols.js';
import type { Registry } from './registry.js';
import type { splice } from './splice.js';
import { CLOSE, Tunnel } from './tunnel.js';
import { WsDuplex } from './ws-duplex.js';

/** Counted since the start, for the log and for tests. */
export interface RelayCounts {
  tunnels: number;
  connections: number;
  refused: Record<string, number>;
}

/** What a planted defect may replace. */
export interface RelayParts {
  now(): number;
  log: Log;
  registry(): Registry;
  splice: typeof splice;
  /** Whether a proven peer may have this route: an executor its own, a coordinator those that it is granted. */
  permits(peer: RelayPeer, route: string): boolean;
}

export interface Relay {
  /** `host:port` as bound. */
  address: string;
  counts(): RelayCounts;
  renew(tls: ListenerTls): void;
  /** Ends the tunnels and connections whose credentials do not hold any more. */
  recheck(): void;
  /** Takes nothing new, gives what is under way `graceMs`, then ends. */
  close(graceMs: number): Promise<void>;
}

const SPARE_CONNECTIONS = 1000;
/** What announces a body (RFC 9112 section 6); a request for a way has none. */
const BODY = ['content-length', 'transfer-encoding'];
const AUTHORITY = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?:\d{1,5}$/;

/** Rejects when the address cannot be bound. */
export async function openRelay(
  host: string,
  port: number,
  tls: ListenerTls,
  config: RelayConfig,
  { now, log, registry: newRegistry, splice: join, permits }: RelayParts,
): Promise<Relay> {
  const { relay, skewMs, limits, liveness, timeouts } = config;
  const executors = createPolicy({ relay, peers: config.executors, skewMs });
  const coordinators = createPolicy({ relay, peers: config.coordinators, skewMs });
  const registry = newRegistry();
  const sockets = new Set<Duplex>();
  const ways = new Map<Duplex, Stands>();
  const refused: Record<string, number> = {};
  let connections = 0;
  let generation = 0;
  let draining = false;

  const websockets = new WebSocketServer({
    noServer: true,
    // A compressed bomb cannot be sent to somebody who does not speak compression.
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload: MAX_MESSAGE,
    handleProtocols: (offered) =>
      [TUNNEL_PROTOCOL, CONNECT_PROTOCOL].find((protocol) => offered.has(protocol)) ?? false,
  });

  const count = (refusal: Counted, detail: Record<string, unknown>) => {
    const times = (refused[refusal] ?? 0) + 1;
    refused[refusal] = times;
    log.warn({ refusal, times, ...detail }, 'refused');
  };
  const no = (socket: Duplex, refusal: Refusal, detail: Record<string, unknown>) => {
    count(refusal, detail);
    refuse(socket, refusal);
  };

  /** The tunnel for a coordinator's request; undefined when it was refused. */
  const admit = (
    request: IncomingMessage,
    socket: Duplex,
    route: string | undefined,
    header: string | undefined,
    unproven: Refusal,
  ): Tunnel | undefined => {
    const { certificate } = credentialsOf(request);
    const credentials = {
      ...(header === undefined ? {} : { authorization: header }),
      ...(certificate === undefined ? {} : { certificate }),
    };
    const proven = coordinators.prove(credentials, now());
    if (proven.peer === undefined) {
      no(socket, unproven, { why: proven.reason });
      return undefined;
    }
    const { peer } = proven.peer;
    if (route === undefined || !permits(proven.peer, route)) {
      no(socket, 'forbidden', { peer, route: route?.slice(0, 300) });
      return undefined;
    }
    const tunnel = draining ? undefined : registry.find(route);
    if (tunnel === undefined || tunnel.full) {
      no(socket, 'unavailable', { peer, route, draining });
      return undefined;
    }
    connections += 1;
    ways.set(socket, proven.stands);
    socket.once('close', () => ways.delete(socket));
    log.debug({ peer, route, generation: tunnel.generation }, 'connected');
    return tunnel;
  };

  const server = createServer({
    cert: tls.cert,
    key: tls.key,
    ...secure(tls),
    // A coordinator that has sent all may still be answered: its end is passed on, and not answered by one of ours.
    allowHalfOpen: true,
    headersTimeout: 10_000,
    requestTimeout: 10_000,
    handshakeTimeout: 10_000,
    // Without it a limit of ten seconds is looked at every thirty.
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16 * 1024,
    ...timeouts,
  });
  // Room also for those that are told that there is none.
  server.maxConnections = limits.tunnels * (limits.streams + 1) + SPARE_CONNECTIONS;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', (error, socket) => {
    count('handshake', { why: error.message });
    socket.destroy();
  });
  // No HTTP, a body of two lengths, a head that is too long, or nothing at all in time.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else
      no(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'silent' : 'malformed', { why: error.message });
  });
  server.on('request', (request, response) => {
    request.resume();
    count('method', { method: request.method });
    response.writeHead(405, { allow: 'CONNECT', connection: 'close', 'content-length': 0 }).end();
  });

  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Whether what follows is a body or the first bytes of the way, two readers could tell differently (RFC 9112 section 6.3).
    if (BODY.some((name) => name in request.headers)) return no(socket, 'malformed', { why: 'a body' });
    const route = AUTHORITY.test(request.url ?? '') ? request.url : undefined;
    const tunnel = admit(request, socket, route, request.headers['proxy-authorization'], 'proxy-credentials');
    if (tunnel === undefined) return;
    const stream = tunnel.open();
    // Whether the executor takes it shows in what flows; nothing is waited for, and nothing is ever sent again.
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) socket.unshift(head);
    request.socket.setNoDelay(true);
    request.socket.setTimeout(0);
    join(socket, stream);
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [, kind, rest = ''] = /^\/(tunnel|connect)\/([^/?#]+)$/.exec(request.url ?? '') ?? [];
    const protocol = kind === 'tunnel' ? TUNNEL_PROTOCOL : CONNECT_PROTOCOL;
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    if (kind === undefined) return no(socket, 'method', { upgrade: true });
    if (BODY.some((name) => name in request.headers)) return no(socket, 'malformed', { why: 'a body' });
    if (!offered.includes(protocol)) return no(socket, 'upgrade', { kind });
    const route = routeOf(rest);
    if (kind === 'tunnel') register(request, socket, head, route);
    else {
      const tunnel = admit(request, socket, route, request.headers.authorization, 'credentials');
      if (tunnel === undefined) return;
      websockets.handleUpgrade(request, socket, head, (ws) => {
        join(new WsDuplex(ws, request.socket, { halves: true }), tunnel.open());
      });
    }
  });

  const register = (request: IncomingMessage, socket: Duplex, head: Buffer, route: string | undefined) => {
    const proven = executors.prove(credentialsOf(request), now());
    if (proven.peer === undefined) return no(socket, 'credentials', { why: proven.reason, tunnel: true });
    const { peer } = proven.peer;
    if (route === undefined || !permits(proven.peer, route))
      return no(socket, 'forbidden', { peer, route: route?.slice(0, 300), tunnel: true });
    if (draining || registry.size >= limits.tunnels)
      return no(socket, 'unavailable', { peer, tunnel: true, draining });
    const named = request.headers[INSTANCE];
    const instance = typeof named === 'string' && /^[\w-]{1,64}$/.test(named) ? named : undefined;
    websockets.handleUpgrade(request, socket, head, (ws) => {
      generation += 1;
      const tunnel = new Tunnel(ws, request.socket, {
        generation,
        peer,
        route,
        instance,
        stands: proven.stands,
        streamWindow: limits.bufferBytes,
        maxStreams: limits.streams,
        liveness,
      });
      log.info({ peer, route, generation: tunnel.generation }, 'a tunnel is up');
      const former = registry.find(route);
      if (former !== undefined) {
        const lost = { peer, route, generation: former.generation };
        // By its own process it is make before break; two processes that have one route take it from each other.
        if (instance !== undefined && instance === former.instance) log.info(lost, 'replaced');
        else count('replaced', lost);
      }
      registry.register(tunnel);
      void tunnel.closed.then(() =>
        log.info({ peer, route, generation: tunnel.generation }, 'a tunnel is gone'),
      );
    });
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;

  return {
    address: bound.family === 'IPv6' ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`,
    counts: () => ({ tunnels: registry.size, connections, refused: { ...refused } }),
    renew: (next) => server.setSecureContext({ cert: next.cert, key: next.key, ...secure(next) }),
    recheck() {
      for (const tunnel of registry.all()) if (!tunnel.stands()) tunnel.end(CLOSE.revoked, 'revoked');
      for (const [socket, stands] of ways) if (!stands()) socket.destroy();
    },
    async close(graceMs) {
      draining = true;
      const tunnels = [...registry.all()];
      for (const tunnel of tunnels) tunnel.retire(CLOSE.draining, 'the relay is going away');
      // Until then it listens, and says to whoever asks that it is going away.
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await Promise.all(tunnels.map(({ closed }) => closed));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
      log.info({ connections, refused }, 'ended');
    },
  };
}

function secure({ ca, askCertificate }: ListenerTls) {
  return {
    ...(ca === undefined ? {} : { ca }),
    minVersion: 'TLSv1.3' as const,
    ALPNProtocols: ['http/1.1'],
    requestCert: askCertificate,
    rejectUnauthorized: false,
  };
}

function routeOf(encoded: string): string | undefined {
  try {
    const route = decodeURIComponent(encoded);
    return AUTHORITY.test(route) ? route : undefined;
  } catch {
    // A percent sign that encodes nothing: no route of anybody.
    return undefined;
  }
}
