/** The HTTP listener that the HTTP bindings share: bounded, and able to end streams politely. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type TellRefusal, tellBadRequests } from './refusals.js';

export type Route = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** false: not this one's path. Who takes it answers it. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, path: string) => boolean;

/** TLS as this process ends it. With `askCertificate` a client may show one, which the binding judges. */
export interface ListenerTls {
  /** PEM texts. */
  cert: string;
  key: string;
  /** The authorities of the clients' certificates. */
  ca?: string;
  askCertificate: boolean;
}

export interface Listener {
  /** `host:port` as bound; empty when it listens nowhere. */
  address: string;
  /** Takes a connection that came through a tunnel. */
  accept(connection: Duplex): void;
  /** From now on connections get this certificate; those that stand keep theirs. */
  renew(tls: ListenerTls): void;
  /** Takes no new connection; resolves when the open ones are gone, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 10_000;
const HEADERS_MS = 10_000;
const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  // Without it a limit is looked at every thirty seconds.
  connectionsCheckingInterval: 1000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  handshakeTimeout: 10_000,
};

export interface ListenOptions {
  /** Absent: it takes only what comes through a tunnel. */
  address?: { host: string; port: number };
  routes: readonly Route[];
  /** Takes requests for a WebSocket; without one they are requests like any other. */
  upgrade?: Upgrade;
  tls?: ListenerTls;
  /** `host:port` of our URL: what a tunnelled connection must be for, in its server name and in every Host. */
  authority?: string;
  /** How long a client may be silent before its request is there, ms; 10 s by default. */
  headersTimeoutMs?: number;
  /** Hears of what is refused here, each time. */
  refused?: TellRefusal;
}

/** The first route that takes the request answers it; nobody's request is 404. Rejects when the address cannot be bound. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { address, routes, upgrade, tls, authority, headersTimeoutMs = HEADERS_MS } = options;
  const refused = options.refused ?? (() => {});
  const limits = { ...LIMITS, headersTimeout: headersTimeoutMs };
  const sockets = new Set<Duplex>();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (!routes.some((route) => route(request, response, pathOf(request)))) refuse(request, response, 404);
  };
  const switchTo: Upgrade = (request, socket, head, path) => {
    if (upgrade?.(request, socket, head, path) !== true) endUpgrade(socket, 404);
    return true;
  };
  const open: Open = (handler, takeUpgrade) => {
    const made =
      tls === undefined
        ? createServer(limits, handler)
        : createTlsServer({ ...limits, ...context(tls) }, handler);
    made.maxConnections = MAX_CONNECTIONS;
    if (upgrade !== undefined)
      made.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        takeUpgrade(request, socket, head, pathOf(request));
      });
    made.on('connection', (socket: Duplex) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    const opened = tls === undefined ? 'connection' : 'secureConnection';
    made.on(opened, (socket: Duplex) => tellBadRequests(socket, refused));
    made.on('tlsClientError', () => refused('handshake'));
    return made;
  };
  const servers: (Server | TlsServer)[] = [];
  const tunnelled =
    authority === undefined ? undefined : forAuthority(authority, { open, serve, switchTo, refused });
  if (tunnelled !== undefined) {
    servers.push(tunnelled);
    // Node.js begins to look at its time limits when a server listens, which this one never does.
    tunnelled.emit('listening');
  }
  const bound = address === undefined ? undefined : open(serve, switchTo);
  if (bound !== undefined && address !== undefined) {
    servers.push(bound);
    await new Promise<void>((resolve, reject) => {
      bound.once('error', reject);
      bound.listen(address.port, address.host, resolve);
    });
  }
  return {
    address: bound === undefined ? '' : printed(bound.address() as AddressInfo),
    accept: (connection) => void tunnelled?.emit('connection', connection),
    renew(next) {
      for (const server of servers) (server as TlsServer).setSecureContext(context(next));
    },
    async close(graceMs) {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      for (const server of servers) {
        server.close(() => {});
        server.closeIdleConnections();
      }
      // A server that never listened does not wait for what was handed to it.
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
      clearTimeout(timer);
    },
  };
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;
type Open = (handler: Serve, takeUpgrade: Upgrade) => Server | TlsServer;

/** What comes through a relay chose its own way here: it is for exactly this authority, or refused (421, RFC 9110 15.5.20). */
function forAuthority(
  authority: string,
  { open, serve, switchTo, refused }: { open: Open; serve: Serve; switchTo: Upgrade; refused: TellRefusal },
): Server | TlsServer {
  const [host = '', port = ''] = authority.split(':');
  const accepted = [authority, ...(port === '443' ? [host] : [])];
  const isOurs = ({ headers }: IncomingMessage) => accepted.includes(headers.host?.toLowerCase() ?? '');
  const isNamed = (socket: Duplex) =>
    (socket as TLSSocket & { servername: string | false }).servername === host;
  const server = open(
    (request, response) => {
      // What came together with the end of the handshake is read before anybody could end the connection.
      if (!isNamed(request.socket)) request.socket.destroy();
      else if (isOurs(request)) serve(request, response);
      else {
        refused('authority');
        refuse(request, response, 421);
      }
    },
    (request, socket, head, path) => {
      if (!isNamed(request.socket)) request.socket.destroy();
      else if (isOurs(request)) return switchTo(request, socket, head, path);
      else {
        refused('authority');
        endUpgrade(socket, 421);
      }
      return true;
    },
  );
  server.on('secureConnection', (socket: TLSSocket) => {
    if (isNamed(socket)) return;
    refused('server-name');
    socket.destroy();
  });
  return server;
}

/** Path only: a query is never routed by, and a full URL in the request line is a proxy's. */
function pathOf({ url }: IncomingMessage): string {
  return (url ?? '/').split('?', 1)[0] ?? '/';
}

function refuse(request: IncomingMessage, response: ServerResponse, status: 404 | 421): void {
  request.resume();
  const text = status === 404 ? 'not found\n' : 'not the authority that this connection was made for\n';
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}

function endUpgrade(socket: Duplex, status: 404 | 421): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function printed({ family, address, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

/** A client's certificate is asked for and judged above: a refusal must look like any other (PRF-21). */
function context({ cert, key, ca, askCertificate }: ListenerTls) {
  return {
    cert,
    key,
    ...(ca === undefined ? {} : { ca }),
    minVersion: 'TLSv1.3' as const,
    ALPNProtocols: ['http/1.1'],
    requestCert: askCertificate,
    rejectUnauthorized: false,
  };
}
