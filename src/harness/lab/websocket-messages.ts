/** The messages that one direction of a recorded WebSocket carried: RFC 6455 section 5, read without a library. */

export interface RecordedMessage {
  /** Offset right behind its last frame. */
  end: number;
  /** UTF-8; of a binary message too. */
  text: string;
  binary: boolean;
}

const CONTINUATION = 0x0;
const BINARY = 0x2;
/** From here on opcodes are control frames, which may stand between the frames of a message. */
const CONTROL = 0x8;

/** Whole messages only. `bytes` begins with the head of the upgrade or of its answer; without one there are none. */
export function websocketMessages(bytes: Buffer): RecordedMessage[] {
  const head = bytes.indexOf('\r\n\r\n');
  if (head === -1 || !/^upgrade: *websocket\r?$/im.test(bytes.toString('latin1', 0, head))) return [];
  const found: RecordedMessage[] = [];
  let parts: Buffer[] = [];
  let binary = false;
  for (let at = head + 4; ; ) {
    const frame = frameAt(bytes, at);
    if (frame === undefined) return found;
    at = frame.end;
    if (frame.opcode >= CONTROL) continue;
    if (frame.opcode !== CONTINUATION) {
      parts = [];
      binary = frame.opcode === BINARY;
    }
    parts.push(frame.payload);
    if (frame.last) found.push({ end: frame.end, text: Buffer.concat(parts).toString('utf8'), binary });
  }
}

function frameAt(bytes: Buffer, at: number) {
  if (bytes.length < at + 2) return undefined;
  const [first, second] = [bytes.readUInt8(at), bytes.readUInt8(at + 1)];
  const masked = (second & 0x80) !== 0;
  const short = second & 0x7f;
  const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
  const from = at + 2 + wide + (masked ? 4 : 0);
  if (bytes.length < from) return undefined;
  const length =
    wide === 0 ? short : wide === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  const end = from + length;
  if (bytes.length < end) return undefined;
  const payload = Buffer.from(bytes.subarray(from, end));
  if (masked)
    for (let index = 0; index < length; index += 1)
      payload.writeUInt8(payload.readUInt8(index) ^ bytes.readUInt8(from - 4 + (index % 4)), index);
  return { last: (first & 0x80) !== 0, opcode: first & 0x0f, payload, end };
}
