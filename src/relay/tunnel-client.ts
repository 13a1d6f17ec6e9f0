/** The executor's end: dials a relay, keeps one tunnel up, and hands on each connection that comes through it. */
import { randomUUID } from 'node:crypto';
import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Log } from '../telemetry/log.js';
import { dialWebSocket, type RelayTarget } from './dial-websocket.js';
import { type Liveness, watchLiveness } from './liveness.js';
import { MuxSocket } from './mux-socket.js';
import { INSTANCE, REPLACED, TUNNEL_PROTOCOL } from './protocols.js';
import { CLOSE } from './tunnel.js';
import { sessionOptions, widen } from './windows.js';
import type { WsDuplex } from './ws-duplex.js';

export interface TunnelTarget extends RelayTarget {
  /** The authority that leads here: `host:port` of our public URL. */
  route: string;
}

export interface TunnelClientOptions {
  target: TunnelTarget;
  reconnect: { floorMs: number; ceilingMs: number };
  liveness: Liveness;
  streamWindow: number;
  maxStreams: number;
  onConnection(connection: Duplex): void;
  log: Log;
  random(): number;
}

export interface TunnelClient {
  /** Resolves when a tunnel is up for the first time. */
  readonly up: Promise<void>;
  /** Dials anew, and lets go of the present tunnel when the new one stands (make before break). */
  renew(): void;
  /** Lets connections under way end, at most `graceMs`, and stays away. */
  close(graceMs: number): Promise<void>;
}

const HANDSHAKE_MS = 5000;

interface Live {
  session: ServerHttp2Session;
  ws: WebSocket;
  /** Resolves with the close code when the WebSocket is gone. */
  closed: Promise<number>;
  streams: Set<ServerHttp2Stream>;
}

export function openTunnel(options: TunnelClientOptions): TunnelClient {
  const { reconnect, log, target } = options;
  const instance = randomUUID();
  let current: Live | undefined;
  let stopped = false;
  let dialling: AbortController | undefined;
  let firstUp = () => {};
  const up = new Promise<void>((resolve) => {
    firstUp = resolve;
  });

  /** Until one stands: each attempt waits longer, half a step to a whole one, so that many executors do not come back at once. */
  const keep = async (firstMs = 0): Promise<void> => {
    if (dialling !== undefined || stopped) return;
    const abort = new AbortController();
    dialling = abort;
    if (firstMs > 0) await pause(firstMs * (0.5 + options.random() / 2), abort.signal);
    const former = current;
    for (
      let wait = reconnect.floorMs;
      !abort.signal.aborted;
      wait = Math.min(wait * 2, reconnect.ceilingMs)
    ) {
      try {
        const live = await dialOnce(options, instance);
        dialling = undefined;
        if (stopped) {
          live.ws.terminate();
          return;
        }
        current = live;
        log.info({ relay: target.url, route: target.route }, 'the tunnel is up');
        firstUp();
        // A relay that goes away says so. Two processes that have one route must not take it from each other at once.
        live.session.once('goaway', (_code, _last, data?: Buffer) => {
          if (current === live) void keep(data?.equals(REPLACED) === true ? reconnect.ceilingMs : 0);
        });
        void live.closed.then((code) => {
          if (current !== live) return;
          current = undefined;
          log.warn({ relay: target.url, route: target.route }, 'the tunnel is gone');
          // Where nothing was under way the close may be all that is heard.
          void keep(code === CLOSE.replaced ? reconnect.ceilingMs : 0);
        });
        if (former !== undefined) retire(former);
        return;
      } catch (error) {
        log.warn({ relay: target.url, err: error }, 'the relay was not reached');
        await pause(wait * (0.5 + options.random() / 2), abort.signal);
      }
    }
  };
  void keep();

  return {
    up,
    renew: () => void keep(),
    async close(graceMs) {
      stopped = true;
      dialling?.abort();
      const live = current;
      current = undefined;
      if (live === undefined) return;
      retire(live);
      const timer = setTimeout(() => live.ws.terminate(), graceMs);
      await live.closed;
      clearTimeout(timer);
    },
  };
}

/** Takes no more; the WebSocket is closed when the last stream has ended. */
function retire({ session, ws, streams }: Live): void {
  if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR);
  const whenIdle = () => {
    if (streams.size === 0) ws.close(1000);
  };
  for (const stream of streams) stream.once('close', () => setImmediate(whenIdle));
  whenIdle();
}

async function dialOnce(options: TunnelClientOptions, instance: string): Promise<Live> {
  const { target } = options;
  const path = `tunnel/${encodeURIComponent(target.route)}`;
  const { ws, duplex } = await dialWebSocket(target, path, TUNNEL_PROTOCOL, HANDSHAKE_MS, {
    [INSTANCE]: instance,
  });
  return serve(duplex, ws, options);
}

/** HTTP/2's server over the tunnel: each CONNECT stream is a connection for us. */
function serve(duplex: WsDuplex, ws: WebSocket, options: TunnelClientOptions): Promise<Live> {
  const server = createServer(sessionOptions(options.streamWindow, options.maxStreams));
  const streams = new Set<ServerHttp2Stream>();
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    // Also of one that is closed and not destroyed yet: nobody else would hear it, and the process would end.
    stream.on('error', () => {});
    // A GOAWAY may have ended it before it came here.
    if (stream.destroyed || stream.closed) return;
    const asked = headers[constants.HTTP2_HEADER_METHOD] === 'CONNECT';
    if (!asked || headers[constants.HTTP2_HEADER_AUTHORITY] !== options.target.route) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 });
    options.onConnection(new MuxSocket(stream));
  });
  watchLiveness(ws, options.liveness, () => ws.terminate());
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  duplex.on('error', () => {});
  return new Promise((resolve) => {
    server.once('session', (session) => {
      widen(session);
      session.on('error', () => ws.terminate());
      duplex.on('close', () => session.destroy());
      resolve({ session, ws, closed, streams });
    });
    server.emit('connection', duplex);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
