/** The relay's end of one executor's tunnel: HTTP/2 over its WebSocket, as a multiplexer only. */
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Liveness, watchLiveness } from './liveness.js';
import { MuxSocket } from './mux-socket.js';
import type { Stands } from './policy.js';
import { sessionOptions, widen } from './windows.js';
import { WsDuplex } from './ws-duplex.js';

/** Close codes of a tunnel's WebSocket, from the range for applications (RFC 6455 section 7.4.2). */
export const CLOSE = { replaced: 4409, revoked: 4401, draining: 4503 } as const;

export interface TunnelOptions {
  /** Identity of this very registration: what comes late from an earlier one is told apart by it. */
  generation: number;
  peer: string;
  route: string;
  /** The executor's process, as it names itself; undefined when it does not. */
  instance: string | undefined;
  /** Whether what it was registered with still holds. */
  stands: Stands;
  streamWindow: number;
  maxStreams: number;
  liveness: Liveness;
}

export class Tunnel {
  readonly generation: number;
  readonly peer: string;
  readonly route: string;
  readonly instance: string | undefined;
  readonly stands: Stands;
  /** Resolves when the WebSocket is gone, whoever ended it. */
  readonly closed: Promise<void>;
  readonly #session: ClientHttp2Session;
  readonly #ws: WebSocket;
  readonly #maxStreams: number;
  #streams = 0;
  #retired = false;
  #onIdle: (() => void) | undefined;

  constructor(ws: WebSocket, socket: Socket, options: TunnelOptions) {
    this.generation = options.generation;
    this.peer = options.peer;
    this.route = options.route;
    this.instance = options.instance;
    this.stands = options.stands;
    this.#ws = ws;
    this.#maxStreams = options.maxStreams;
    const duplex = new WsDuplex(ws, socket);
    const session = connect('http://tunnel', {
      createConnection: () => duplex,
      ...sessionOptions(options.streamWindow, options.maxStreams),
    });
    this.#session = session;
    session.once('connect', () => widen(session));
    // Whatever ends the session ends the tunnel; the executor dials again.
    session.on('error', () => ws.terminate());
    session.on('close', () => duplex.destroy());
    duplex.on('error', () => {});
    duplex.on('close', () => session.destroy());
    this.closed = new Promise((resolve) => duplex.once('close', () => resolve()));
    watchLiveness(ws, options.liveness, () => ws.terminate());
  }

  get streams(): number {
    return this.#streams;
  }

  /** Whether a new connection may be sent through it. */
  get usable(): boolean {
    return !this.#retired && !this.#session.destroyed && !this.#session.closed;
  }

  get full(): boolean {
    return this.#streams >= this.#maxStreams;
  }

  /** A new connection to the executor; it is open at once, the executor's own answer is part of what flows. */
  open(): Duplex {
    const stream = this.#session.request(
      { [constants.HTTP2_HEADER_METHOD]: 'CONNECT', [constants.HTTP2_HEADER_AUTHORITY]: this.route },
      { endStream: false },
    );
    this.#streams += 1;
    stream.once('close', () => {
      this.#streams -= 1;
      if (this.#streams === 0) this.#onIdle?.();
    });
    return new MuxSocket(stream);
  }

  /** Takes no new connection; those under way go on, and the WebSocket is closed with `code` when they have ended. */
  retire(code: number, reason: string): void {
    if (this.#retired) return;
    this.#retired = true;
    if (this.#session.destroyed) return;
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, 0, Buffer.from(reason));
    this.#onIdle = () => this.#ws.close(code, reason);
    if (this.#streams === 0) this.#onIdle();
  }

  /** At once, with everything under way. */
  end(code: number, reason: string): void {
    this.#retired = true;
    this.#ws.close(code, reason);
    // A WebSocket whose other side is silent would wait for the close frame of that side.
    const timer = setTimeout(() => this.#ws.terminate(), 1000);
    timer.unref();
    void this.closed.then(() => clearTimeout(timer));
  }
}
