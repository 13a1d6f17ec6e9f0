/** The messages that one direction of a recorded WebSocket carried. */
import { createWebSocketReader } from './websocket-reader.js';

export interface RecordedMessage {
  /** Offset right behind its last frame. */
  end: number;
  /** UTF-8; of a binary message too. */
  text: string;
  binary: boolean;
}

/** Whole messages only. `bytes` begins with the head of the upgrade or of its answer; without one there are none. */
export function websocketMessages(bytes: Buffer): RecordedMessage[] {
  const head = bytes.indexOf('\r\n\r\n');
  if (head === -1 || !/^upgrade: *websocket\r?$/im.test(bytes.toString('latin1', 0, head))) return [];
  const behind = head + 4;
  return createWebSocketReader()
    .push(bytes.subarray(behind))
    .flatMap(({ kind, payload, end }) =>
      kind === 'text' || kind === 'binary'
        ? [{ end: behind + end, text: payload.toString('utf8'), binary: kind === 'binary' }]
        : [],
    );
}
