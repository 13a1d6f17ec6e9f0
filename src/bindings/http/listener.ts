/** The HTTP listener that the HTTP bindings share: bounded, and able to end streams politely. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export type Route = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

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
  /** `host:port` as bound. */
  address: string;
  /** From now on connections get this certificate; those that stand keep theirs. */
  renew(tls: ListenerTls): void;
  /** Takes no new connection; resolves when the open ones are gone, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 10_000;
const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  handshakeTimeout: 10_000,
};

/** The first route that takes the request answers it; nobody's request is 404. */
export async function listen(
  host: string,
  port: number,
  routes: readonly Route[],
  tls?: ListenerTls,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    // Path only: a query is never routed by, and a full URL in the request line is a proxy's.
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (!routes.some((route) => route(request, response, path))) {
      request.resume();
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    }
  };
  const secure = tls === undefined ? undefined : createTlsServer({ ...LIMITS, ...context(tls) }, serve);
  const server: Server | TlsServer = secure ?? createServer(LIMITS, serve);
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  return {
    address: bound.family === 'IPv6' ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`,
    renew: (next) => secure?.setSecureContext(context(next)),
    close: (graceMs) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
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
