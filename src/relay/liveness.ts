/** Finds a WebSocket dead by silence: a ping each interval, and the end when nothing came back in time (RFC 6455 5.5.2). */
import type { WebSocket } from 'ws';

export interface Liveness {
  /** Between two pings, ms. */
  pingMs: number;
  /** From a ping to the pong, at the latest, ms. */
  pongMs: number;
}

/** HTTP/2's own ping fails on a session that drains, so liveness is the WebSocket's. Calls `dead` once, if ever. */
export function watchLiveness(ws: WebSocket, { pingMs, pongMs }: Liveness, dead: () => void): void {
  let waiting: NodeJS.Timeout | undefined;
  const alive = () => {
    clearTimeout(waiting);
    waiting = undefined;
  };
  const timer = setInterval(() => {
    if (ws.readyState !== ws.OPEN || waiting !== undefined) return;
    waiting = setTimeout(() => {
      stop();
      dead();
    }, pongMs);
    ws.ping();
  }, pingMs);
  const stop = () => {
    clearInterval(timer);
    alive();
  };
  ws.on('pong', alive);
  // A peer that sends is alive, even while its pongs wait behind a full buffer.
  ws.on('message', alive);
  ws.once('close', stop);
}
