import type { WebSocket } from 'ws';
import type { Defect } from '../defect.js';

/** RPL-14: what was not taken is kept for whoever may never read on. */
export const keepsDeadReaders: Defect = {
  id: 'keeps-dead-readers',
  breaks: 'the executor holds a stream open for a reader that takes nothing any more',
  fails: ['RPL-14'],
  bindings: ['JSONRPC', 'OAB'],
  shownBy: ['/dead-reader'],
  executor: (parts) => ({
    ...parts,
    writeEvents: (response, frames, heartbeatMs) =>
      parts.writeEvents(response, frames, heartbeatMs, Number.POSITIVE_INFINITY),
    letGoOfTheSilent: (ws, socket, heartbeatMs) => parts.letGoOfTheSilent(immortal(ws), socket, heartbeatMs),
  }),
};

/** Pings as before, and is never ended. */
function immortal(ws: WebSocket): WebSocket {
  return new Proxy(ws, {
    get(target, name) {
      if (name === 'terminate') return () => {};
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
