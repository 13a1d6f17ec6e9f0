/** Frames of a WebSocket: one ends behind each whole text message, of either direction (RFC 6455 section 5.4). */
import type { Framer } from './ports.js';
import { createWebSocketReader, type WebSocketReader } from './websocket-reader.js';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
/** A head longer than this is no HTTP that we follow. */
const MAX_HEAD = 64 * 1024;
/** Of the request that asks for the upgrade, and of the answer that grants it. */
const UPGRADED = /^(?:GET [^\r\n]* HTTP\/1\.1\r\n[\s\S]*\r\nupgrade: *websocket\r\n|HTTP\/1\.1 101[ \r])/i;

/**
 * Pings and pongs are not counted: they come when a timer says so, and a cut at "frame k" must fall on the same message
 * every time. Bytes that are no WebSocket give no frames, for ever.
 */
export function createWebSocketFramer(): Framer {
  let head: Buffer | undefined = Buffer.alloc(0);
  let before = 0;
  let reader: WebSocketReader | undefined;

  function beyondHead(chunk: Buffer): Buffer | undefined {
    if (head === undefined) return chunk;
    const all = Buffer.concat([head, chunk]);
    const at = all.indexOf(END_OF_HEAD);
    head = at === -1 && all.length <= MAX_HEAD ? all : undefined;
    if (at === -1) return undefined;
    before = at + END_OF_HEAD.length;
    if (UPGRADED.test(all.toString('latin1', 0, before))) reader = createWebSocketReader();
    return all.subarray(before);
  }

  return {
    push(chunk) {
      const bytes = beyondHead(chunk);
      if (bytes === undefined || reader === undefined) return [];
      return reader.push(bytes).flatMap(({ kind, end }) => (kind === 'text' ? [before + end] : []));
    },
  };
}
