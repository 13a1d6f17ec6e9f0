/** The server under the protocols in WebSocket text frames: upgrades on one path, authenticated before a frame is read. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { credentialsOf } from '../http/credentials.js';
import type { Upgrade } from '../http/listener.js';
import { type ConnectionParts, type Opened, serveConnection } from './connection.js';
import type { letGoOfTheSilent } from './liveness.js';
import { CLOSE } from './names.js';
import type { Protocol } from './protocol.js';

export interface WebSocketParts extends ConnectionParts {
  /** How a connection is kept alive, and found dead. */
  letGoOfTheSilent: typeof letGoOfTheSilent;
}

export interface WebSockets {
  upgrade: Upgrade;
  /** Tells every open connection that we drain. */
  close(): void;
}

/** Of the protocols that a client offers, the first that is served is spoken. */
export function webSockets(parts: WebSocketParts, protocols: readonly Protocol[], path: string): WebSockets {
  const { service, authenticator, log } = parts;
  const { limits, heartbeatSeconds } = service.describe().params;
  const bySubprotocol = new Map(protocols.map((protocol) => [protocol.subprotocol, protocol]));
  const server = new WebSocketServer({
    noServer: true,
    WebSocket: namingCloses(limits),
    perMessageDeflate: false,
    maxPayload: limits.maxFrameBytes,
    handleProtocols: (offered) => [...offered].find((one) => bySubprotocol.has(one)) ?? false,
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
    if (!isOffered(request, bySubprotocol)) return refuse(socket, 400);
    const opened: Opened = { caller, certificate: credentials.certificate, source };
    server.handleUpgrade(request, socket, head, (ws) => {
      const protocol = bySubprotocol.get(ws.protocol);
      if (protocol === undefined) return ws.terminate();
      open.add(ws);
      ws.once('close', () => open.delete(ws));
      parts.letGoOfTheSilent(ws, socket, heartbeatSeconds * 1000);
      serveConnection(parts, protocol, ws, socket, opened);
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
      for (const ws of open)
        if (ws.readyState === WebSocket.OPEN) ws.close(CLOSE.draining, 'the server drains; come again');
    },
  };
}

/** Says in words what ws itself closes for: it gives a code alone. */
function namingCloses({ maxFrameBytes }: { maxFrameBytes: number }): typeof WebSocket {
  const reasons: Record<number, string> = {
    1002: 'no frame of RFC 6455, or a compressed one: no extension was negotiated',
    1007: 'a text frame that is no UTF-8',
    [CLOSE.tooBig]: `a frame above maxFrameBytes (${maxFrameBytes})`,
  };
  return class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      super.close(code, reason ?? (code === undefined ? undefined : reasons[code]));
    }
  };
}

function isOffered(request: IncomingMessage, served: ReadonlyMap<string, unknown>): boolean {
  const offered = request.headers['sec-websocket-protocol'] ?? '';
  return offered.split(',').some((one) => served.has(one.trim()));
}

function refuse(socket: Duplex, status: 400 | 401, headers: Record<string, string> = {}): void {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': '0' });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${text}\r\n`);
}
