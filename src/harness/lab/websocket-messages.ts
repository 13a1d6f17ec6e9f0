/** The messages that one direction of a recorded WebSocket carried. */
import { createWebSocketReader } from './websocket-reader.js';

export interface RecordedMessage {
  /** Offset right behind its last frame. */
  end: number;
  /** UTF-8; of a binary message too. */
  text: string;
  binary: boolean;
}

/** The length of the head of an upgrade to a WebSocket, or of its answer; 0 where these bytes begin with none. */
function upgradeHead(bytes: Buffer): number {
  const head = bytes.indexOf('\r\n\r\n');
  return head !== -1 && /^upgrade: *websocket\r?$/im.test(bytes.toString('latin1', 0, head)) ? head + 4 : 0;
}

/** Whole messages only. `bytes` begins with the head of the upgrade or of its answer; without one there are none. */
export function websocketMessages(bytes: Buffer): RecordedMessage[] {
  const behind = upgradeHead(bytes);
  if (behind === 0) return [];
  return createWebSocketReader()
    .push(bytes.subarray(behind))
    .flatMap(({ kind, payload, end }) =>
      kind === 'text' || kind === 'binary'
        ? [{ end: behind + end, text: payload.toString('utf8'), binary: kind === 'binary' }]
        : [],
    );
}

/** What one direction carried, for people. A WebSocket by its messages, one a line: a client's are masked, which hides a token from the redaction and from nobody else. */
export function legible(bytes: Buffer): string {
  const head = upgradeHead(bytes);
  if (head === 0) return bytes.toString('utf8');
  const messages = websocketMessages(bytes).map(({ text, binary }) =>
    binary ? `[${text.length} binary]` : text,
  );
  return `${bytes.toString('utf8', 0, head)}${messages.join('\n')}`;
}
