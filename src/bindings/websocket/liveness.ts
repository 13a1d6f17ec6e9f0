/** Both sides of a connection find it dead by silence: pings while it is idle, and looks at what came and what was taken. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { SILENT_HEARTBEATS } from '../silence.js';

const LOOKS_A_BEAT = 2;

/**
 * By looks and not by a time: a process of ours that stood still has not looked, and accuses nobody. A side that takes
 * what is sent to it is alive, though its pong waits behind it. `onDead` before the connection is dropped.
 */
export function letGoOfTheSilent(
  ws: WebSocket,
  socket: Duplex & { bytesRead?: number },
  heartbeatMs: number,
  onDead: () => void = () => {},
): void {
  let silent = 0;
  let before = -1;
  let waited = 0;
  let look = 0;
  let heard = 0;
  const count = () => {
    heard += 1;
  };
  for (const event of ['ping', 'pong', 'message'] as const) ws.on(event, count);
  const timer = setInterval(() => {
    const came = heard + (socket.bytesRead ?? 0);
    const waiting = ws.bufferedAmount;
    silent = came === before && !(waiting > 0 && waiting !== waited) ? silent + 1 : 0;
    before = came;
    waited = waiting;
    if (silent >= SILENT_HEARTBEATS * LOOKS_A_BEAT) {
      onDead();
      ws.terminate();
      return;
    }
    look += 1;
    if (look % LOOKS_A_BEAT === 0 && waiting === 0 && ws.readyState === ws.OPEN) ws.ping();
  }, heartbeatMs / LOOKS_A_BEAT);
  ws.once('close', () => clearInterval(timer));
}
