/** Opens a WebSocket to a peer: nothing is ever sent to who does not choose our subprotocol. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { NotNegotiated, PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';

/**
 * `socket` is connected to the peer, TLS included; `opened` is called before a frame can have come. Rejects with
 * PeerRefusal, NotNegotiated or PeerUnreachable.
 */
export function openWebSocket<T>(
  url: URL,
  subprotocol: string,
  socket: Socket,
  token: string | undefined,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
  opened: (ws: WebSocket) => T,
): Promise<T> {
  const at = new URL(url);
  at.protocol = url.protocol.replace('http', 'ws');
  const ws = new WebSocket(at, subprotocol, {
    createConnection: (() => socket) as never,
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: maxBytes,
    handshakeTimeout: timeoutMs,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  return new Promise((resolve, reject) => {
    let why: Error | undefined;
    const fail = (error: Error) => {
      why ??= error;
      reject(why);
      socket.destroy();
    };
    ws.once('unexpected-response', (_, response: IncomingMessage) => {
      const { statusCode = 0 } = response;
      response.resume();
      fail(
        statusCode === 401
          ? new PeerRefusal('UNAUTHENTICATED', -32603, false)
          : new PeerUnreachable(`the upgrade was answered HTTP ${statusCode}`),
      );
      ws.terminate();
    });
    ws.once('upgrade', ({ headers }: IncomingMessage) => {
      const chosen = headers['sec-websocket-protocol'];
      if (chosen !== subprotocol)
        fail(new NotNegotiated(`the peer chose ${chosen ?? 'no subprotocol'}, not ${subprotocol}`));
    });
    ws.on('error', ({ message }) => fail(new PeerUnreachable(message)));
    ws.once('open', () => resolve(opened(ws)));
  });
}
