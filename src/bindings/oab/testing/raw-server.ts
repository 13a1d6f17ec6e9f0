/** A server that says to a client exactly what a test says, right or wrong: one description and one short log of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SUBPROTOCOL } from '../names.js';

type Json = Record<string, unknown>;

export interface RawRequest {
  id: number;
  method: string;
  params: Json;
  token?: string;
}

interface RawBehaviour {
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

const HEAD = `sha256:${'0'.repeat(64)}`;
const TIME = '2026-01-01T00:00:00.000Z';
export const TASK = 't-1';

export const DESCRIPTION: Json = {
  protocol_version: 1,
  peer: 'oab-b',
  version: '1',
  params: {
    maxDepth: 1,
    cursor: { retentionSeconds: 3600 },
    idempotency: { windowSeconds: 7200 },
    heartbeatSeconds: 0.1,
    stopGraceMs: 1000,
    revocationSeconds: 1,
    limits: {
      maxTaskBytes: 65_536,
      maxDeadlineMs: 3_600_000,
      maxOutputBytes: 1_048_576,
      maxEvents: 1000,
      maxEventBytes: 65_536,
      maxFrameBytes: 4_194_304,
    },
    capabilities: ['repo:read'],
    results: { algorithm: 'EdDSA', canonicalization: 'RFC8785', jwks: { keys: [] } },
  },
};

export const TOLD: Json = {
  task_id: TASK,
  context_id: 'c-1',
  turn_id: 'turn-1',
  status: { state: 'TASK_STATE_WORKING', timestamp: TIME },
  artifacts: [],
  sequence: 2,
  cursor: 'c2',
  head: HEAD,
  effective_capabilities: ['repo:read'],
  deadline_at: TIME,
};

/** Of five: the last is the terminal one. */
export function item(sequence: number, state = sequence === 5 ? 'COMPLETED' : 'WORKING'): Json {
  const status = { state: `TASK_STATE_${state}`, timestamp: TIME };
  const event = { statusUpdate: { taskId: TASK, contextId: 'c-1', status } };
  return { turn_id: 'turn-1', sequence, cursor: `c${sequence}`, event };
}

export const gap = (sequence: number): Json => ({ floor: { sequence, head: HEAD } });

export async function openRawServer(behaviour: RawBehaviour) {
  const subprotocol = 'subprotocol' in behaviour ? behaviour.subprotocol : SUBPROTOCOL;
  const requests: RawRequest[] = [];
  const controls: Json[] = [];
  const open: WebSocket[] = [];
  const closed: Promise<number>[] = [];
  const server = createServer((_, response) => response.writeHead(404).end());
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
          if (behaviour.take?.(frame, say) !== true) honest(frame, say);
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

function honest({ id, method }: RawRequest, say: Say): void {
  const result = (json: Json) => say.frame({ jsonrpc: '2.0', id, result: json });
  if (method === 'describe') result(DESCRIPTION);
  else if (method !== 'events') result(TOLD);
  else {
    for (const sequence of [1, 2, 3, 4, 5]) result(item(sequence));
    say.frame(streamEnd(id, 'complete'));
  }
}

export const streamEnd = (id: number, reason: string): Json => ({
  jsonrpc: '2.0',
  method: '$/streamEnd',
  params: { id, reason },
});
