/** The HTTP listener that the HTTP bindings share: bounded, and able to end streams politely. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Route = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export interface Listener {
  /** `host:port` as bound. */
  address: string;
  /** Takes no new connection; resolves when the open ones are gone, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 10_000;

/** The first route that takes the request answers it; nobody's request is 404. */
export async function listen(host: string, port: number, routes: readonly Route[]): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server: Server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      // Path only: a query is never routed by, and a full URL in the request line is a proxy's.
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      if (!routes.some((route) => route(request, response, path))) {
        request.resume();
        response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      }
    },
  );
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
