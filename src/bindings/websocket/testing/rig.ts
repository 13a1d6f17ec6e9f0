/** A protocol in WebSocket frames over a real executor, and a raw client that says whatever a test wants said. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { ExecutorConfig } from '../../../executor/config.js';
import { silentLog } from '../../../telemetry/log.js';
import { type ListenOptions, listen, type Route } from '../../http/listener.js';
import { authenticator, bearer, openHeldExecutor } from '../../testing/held-executor.js';
import type { ConnectionParts } from '../connection.js';
import { letGoOfTheSilent } from '../liveness.js';
import type { Protocol } from '../protocol.js';
import { webSockets } from '../server.js';

type Json = Record<string, unknown>;

export { bearer };

export interface RawConnection {
  ws: WebSocket;
  /** Every frame so far. */
  frames: Json[];
  send(frame: unknown): void;
  /** The next frame that fits and was not taken before; rejects after a deadline, or when the connection ends first. */
  next(fits?: (frame: Json) => boolean): Promise<Json>;
  call(method: string, params?: unknown, token?: string): Promise<Json>;
  closed: Promise<number>;
}

const DEADLINE_MS = 10_000;

export interface Spoken {
  protocol(parts: ConnectionParts): Protocol;
  /** What else stands on the listener. */
  routes?(parts: ConnectionParts): Route[];
  /** A request's members beside `jsonrpc` and `id`. */
  request(method: string, params: unknown, token: string): Json;
}

export async function openRig(
  { protocol, routes, request }: Spoken,
  config: Partial<ExecutorConfig> = {},
  more: Partial<Pick<ConnectionParts, 'authenticator'>> = {},
  where: Pick<ListenOptions, 'tls' | 'authority'> = {},
) {
  const { opened, release } = await openHeldExecutor(config);
  const parts: ConnectionParts = {
    service: opened.service,
    authenticator,
    now: Date.now,
    log: silentLog,
    ...more,
  };
  const spoken = protocol(parts);
  const server = webSockets({ ...parts, letGoOfTheSilent }, [spoken], '/');
  const listener = await listen({
    address: { host: '127.0.0.1', port: 0 },
    routes: routes?.(parts) ?? [],
    upgrade: server.upgrade,
    ...where,
  });
  const port = Number(listener.address.split(':')[1]);
  const sockets: WebSocket[] = [];

  const dial = (
    protocols: string[] = [spoken.subprotocol],
    authorization: string | undefined = `Bearer ${bearer()}`,
    path = '/',
  ): WebSocket => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, {
      perMessageDeflate: false,
      headers: authorization === undefined ? {} : { authorization },
    });
    ws.on('error', () => {});
    sockets.push(ws);
    return ws;
  };
  return {
    opened,
    server,
    listener,
    port,
    release,
    dial,
    /** The status of an upgrade that was refused. */
    async refusal(...how: Parameters<typeof dial>): Promise<{ status: number; challenge: unknown }> {
      const ws = dial(...how);
      const [, response] = (await once(ws, 'unexpected-response')) as [unknown, IncomingMessage];
      response.resume();
      return { status: response.statusCode ?? 0, challenge: response.headers['www-authenticate'] };
    },
    async connect(...how: Parameters<typeof dial>): Promise<RawConnection> {
      const ws = dial(...how);
      const connection = raw(ws, request);
      await once(ws, 'open');
      return connection;
    },
    async close() {
      release();
      for (const ws of sockets) ws.terminate();
      await listener.close(0);
      await opened.close();
    },
  };
}

function raw(ws: WebSocket, request: Spoken['request']): RawConnection {
  const frames: Json[] = [];
  const untaken: Json[] = [];
  /** Whoever waits looks at each frame once; true when it was the one. */
  let look = (_frame?: Json): boolean => false;
  let ids = 0;
  let over = false;
  ws.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Json;
    frames.push(frame);
    if (!look(frame)) untaken.push(frame);
  });
  const closed = new Promise<number>((resolve) =>
    ws.once('close', (code) => {
      over = true;
      resolve(code);
      look();
    }),
  );
  const next = (fits: (frame: Json) => boolean = () => true) =>
    new Promise<Json>((resolve, reject) => {
      const at = untaken.findIndex(fits);
      if (at !== -1) return resolve(untaken.splice(at, 1)[0] as Json);
      const timer = setTimeout(() => reject(new Error('no such frame in time')), DEADLINE_MS);
      look = (frame) => {
        const found = frame !== undefined && fits(frame);
        if (!found && !over) return false;
        clearTimeout(timer);
        look = () => false;
        if (found) resolve(frame);
        else reject(new Error('the connection ended first'));
        return found;
      };
      if (over) look();
    });
  const send = (frame: unknown) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  return {
    ws,
    frames,
    send,
    next,
    call(method, params = {}, token = bearer()) {
      ids += 1;
      const id = `c${ids}`;
      send({ jsonrpc: '2.0', id, ...request(method, params, token) });
      return next((frame) => frame.id === id);
    },
    closed,
  };
}
