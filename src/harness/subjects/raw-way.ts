/** A way through a relay as bare bytes, spoken by hand: HTTP CONNECT, and the WebSocket that stands in for it. */
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { WebSocket } from 'ws';
import { RelayAnswer } from '../wire/reach.js';

export const WAYS = ['connect', 'websocket'] as const;
export type Way = (typeof WAYS)[number];

const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD = 16 * 1024;

/** Where the relay is dialled, and whom its certificate must name. */
export type Place = Pick<ConnectionOptions, 'host' | 'port' | 'servername' | 'ca'>;

/** Resolves with the open way; each direction ends by itself. Rejects with RelayAnswer, or with what the network said. */
export function openWay(way: Way, place: Place, route: string, token: string): Promise<Duplex> {
  return way === 'connect' ? byConnect(place, route, token) : byWebSocket(place, route, token);
}

function secure(place: Place): TLSSocket {
  const socket = tlsConnect({ ...place, minVersion: 'TLSv1.3', ALPNProtocols: ['http/1.1'] });
  socket.allowHalfOpen = true;
  return socket;
}

async function byConnect(place: Place, route: string, token: string): Promise<Duplex> {
  const socket = secure(place);
  socket.write(
    `CONNECT ${route} HTTP/1.1\r\nHost: ${route}\r\nProxy-Authorization: Bearer ${token}${END_OF_HEAD}`,
  );
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      await once(socket, 'readable');
      if (socket.readableEnded || socket.destroyed) throw new Error('the relay said nothing');
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf(END_OF_HEAD);
    if (at === -1 && head.length < MAX_HEAD) continue;
    const status = Number(head.subarray(9, 12));
    if (status !== 200) {
      socket.destroy();
      throw new RelayAnswer(status);
    }
    const rest = head.subarray(at + END_OF_HEAD.length);
    if (rest.length > 0) socket.unshift(rest);
    return socket;
  }
}

async function byWebSocket(place: Place, route: string, token: string): Promise<Duplex> {
  const ws = new WebSocket(
    `wss://${place.servername}/connect/${encodeURIComponent(route)}`,
    'oab.connect.v1',
    {
      createConnection: (() => secure(place)) as never,
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${token}` },
    },
  );
  const refused = new Promise<never>((_, reject) => {
    ws.once('unexpected-response', (__, { statusCode = 0 }) => {
      reject(new RelayAnswer(statusCode));
      ws.terminate();
    });
    ws.once('error', reject);
  });
  const way = new Messages(ws);
  await Promise.race([once(ws, 'open'), refused]);
  return way;
}

/** Bytes in binary messages; an empty one is the end of its direction. */
class Messages extends Duplex {
  readonly #ws: WebSocket;

  constructor(ws: WebSocket) {
    super({ allowHalfOpen: true });
    this.#ws = ws;
    ws.on('message', (data: Buffer) => {
      if (!this.push(data.length === 0 ? null : data)) ws.pause();
    });
    ws.on('error', (error) => this.destroy(error));
    ws.on('close', () => {
      if (!this.readableEnded || !this.writableFinished) this.destroy();
    });
  }

  override _read(): void {
    if (this.#ws.isPaused) this.#ws.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#ws.send(chunk, { binary: true }, (error) => done(error ?? null));
  }

  override _final(done: (error?: Error | null) => void): void {
    this._write(Buffer.alloc(0), 'binary', done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.readableEnded && this.writableFinished) this.#ws.close(1000);
    else this.#ws.terminate();
    done(error);
  }
}
