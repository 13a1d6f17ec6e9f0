/** The server of the custom OAB protocol: upgrades on one path, authenticated before a frame is read (docs/bindings/oab.md). */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { credentialsOf } from '../http/credentials.js';
import type { Upgrade } from '../http/listener.js';
import { type OabParts, type Opened, serveConnection } from './connection.js';
import { letGoOfTheSilent } from './liveness.js';
import { CLOSE, SUBPROTOCOL } from './names.js';

export interface OabServer {
  upgrade: Upgrade;
  /** Tells every open connection that we drain. */
  close(): void;
}

export function oabServer(parts: OabParts, path: string): OabServer {
  const { service, authenticator, log } = parts;
  const { limits, heartbeatSeconds } = service.describe().params;
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.maxFrameBytes,
    handleProtocols: () => SUBPROTOCOL,
  });
  const open = new Set<WebSocket>();

  const take = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const source = request.socket.remoteAddress ?? 'unknown';
    const credentials = credentialsOf(request);
    const { caller, reason } = await authenticator.verify(credentials, parts.now());
    if (caller === undefined) {
      service.refused({ reason: 'UNAUTHENTICATED', source, detail: { why: reason } });
      return refuse(socket, 401, { 'www-authenticate': 'Bearer' });
    }
    if (!isOffered(request)) return refuse(socket, 400);
    const opened: Opened = { caller, certificate: credentials.certificate, source };
    server.handleUpgrade(request, socket, head, (ws) => {
      open.add(ws);
      ws.once('close', () => open.delete(ws));
      letGoOfTheSilent(ws, socket, heartbeatSeconds * 1000);
      serveConnection(parts, ws, socket, opened);
    });
  };

  return {
    upgrade(request, socket, head, at) {
      if (at !== path) return false;
      // Until ws has taken it over.
      socket.on('error', () => socket.destroy());
      take(request, socket, head).catch((error: unknown) => {
        log.error({ err: error }, 'an upgrade failed by a defect of ours');
        socket.destroy();
      });
      return true;
    },
    close() {
      for (const ws of open) if (ws.readyState === WebSocket.OPEN) ws.close(CLOSE.draining);
    },
  };
}

function isOffered(request: IncomingMessage): boolean {
  const offered = request.headers['sec-websocket-protocol'] ?? '';
  return offered.split(',').some((one) => one.trim() === SUBPROTOCOL);
}

function refuse(socket: Duplex, status: 400 | 401, headers: Record<string, string> = {}): void {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': '0' });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${text}\r\n`);
}
