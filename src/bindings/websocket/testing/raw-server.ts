/** A server that says to a client exactly what a test says, right or wrong. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

type Json = Record<string, unknown>;

export interface RawRequest {
  id: number;
  method: string;
  params: Json;
  token?: string;
  serviceParameters?: Record<string, string>;
}

export interface RawBehaviour {
  /** What stands in the answer to the upgrade; none with `undefined`. */
  subprotocol?: string | undefined;
  /** A status in place of the upgrade. */
  status?: number;
  /** Takes a request, and says whether that was all; else it is answered as an honest server does. */
  take?(request: RawRequest, say: Say): boolean;
}

export interface Say {
  /** JSON, or text as it is. */
  frame(frame: Json | string): void;
  bytes(bytes: Buffer): void;
  close(code: number): void;
}

/** What an honest server of the protocol does. */
interface Honest {
  subprotocol: string;
  answer(request: RawRequest, say: Say): void;
  /** What comes without an upgrade. */
  plain?: RequestListener;
}

export async function openRawServer(behaviour: RawBehaviour, honest: Honest) {
  const subprotocol = 'subprotocol' in behaviour ? behaviour.subprotocol : honest.subprotocol;
  const requests: RawRequest[] = [];
  const controls: Json[] = [];
  const open: WebSocket[] = [];
  const closed: Promise<number>[] = [];
  const server = createServer(honest.plain ?? ((_, response) => response.writeHead(404).end()));
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol ?? false,
  });
  server.on('upgrade', (request, socket: Duplex, head) => {
    const { status } = behaviour;
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      open.push(ws);
      closed.push(new Promise((resolve) => ws.once('close', resolve)));
      const say: Say = {
        frame: (frame) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
        bytes: (bytes) => ws.send(bytes),
        close: (code) => ws.close(code),
      };
      ws.on('message', (data) => {
        const frame = JSON.parse(String(data)) as RawRequest;
        if (frame.method.startsWith('$/')) controls.push(frame as unknown as Json);
        else {
          requests.push(frame);
          if (behaviour.take?.(frame, say) !== true) honest.answer(frame, say);
        }
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    controls,
    open,
    /** By number of the connection, from 0. */
    closed,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const ws of open) ws.terminate();
      }),
  };
}

export const streamEnd = (id: number, reason: string): Json => ({
  jsonrpc: '2.0',
  method: '$/streamEnd',
  params: { id, reason },
});
