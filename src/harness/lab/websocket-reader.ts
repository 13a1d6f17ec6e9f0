/** One direction of a WebSocket, read as its bytes come: RFC 6455 section 5, without a library. */

export interface WebSocketMessage {
  kind: 'text' | 'binary' | 'close' | 'ping' | 'pong';
  /** Unmasked, its fragments joined. */
  payload: Buffer;
  /** Right behind its last byte, counted from the first byte pushed. */
  end: number;
  masked: boolean;
}

export interface WebSocketReader {
  /** Takes the next bytes; returns the messages and control frames that they complete, in order. */
  push(chunk: Buffer): WebSocketMessage[];
  /** Why nothing is read any more: what came is no WebSocket. */
  readonly broken: string | undefined;
}

const CONTINUATION = 0x0;
const KINDS: Readonly<Record<number, WebSocketMessage['kind']>> = {
  1: 'text',
  2: 'binary',
  8: 'close',
  9: 'ping',
  10: 'pong',
};
/** From here on opcodes are control frames, which may stand between the fragments of a message. */
const CONTROL = 0x8;
const MAX_CONTROL = 125;
/** A frame longer than this is no frame that anybody of ours would send. */
const MAX_FRAME = 256 * 1024 * 1024;

interface Head {
  last: boolean;
  opcode: number;
  masked: boolean;
  /** Of the head itself, and of the payload. */
  size: number;
  length: number;
}

export function createWebSocketReader(): WebSocketReader {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** So many bytes have to be there before it is worth looking again. */
  let needed = 2;
  let consumed = 0;
  let broken: string | undefined;
  let open: { kind: 'text' | 'binary'; parts: Buffer[] } | undefined;

  function take(head: Head, frame: Buffer): WebSocketMessage[] {
    const { last, opcode, masked } = head;
    const payload = payloadOf(head, frame);
    const message = (kind: WebSocketMessage['kind'], bytes: Buffer) => {
      return [{ kind, payload: bytes, end: consumed, masked }];
    };
    const kind = KINDS[opcode];
    if (opcode >= CONTROL && kind !== undefined) {
      if (!last || payload.length > MAX_CONTROL) broken = 'a control frame that is long or in pieces';
      return broken === undefined ? message(kind, payload) : [];
    }
    if ((opcode === CONTINUATION) !== (open !== undefined)) broken = 'a fragment of nothing, or none of one';
    else if (kind === 'text' || kind === 'binary') open = { kind, parts: [] };
    else if (opcode !== CONTINUATION) broken = `opcode ${opcode}`;
    if (broken !== undefined || open === undefined) return [];
    open.parts.push(payload);
    if (!last) return [];
    const whole = open;
    open = undefined;
    return message(whole.kind, Buffer.concat(whole.parts));
  }

  return {
    get broken() {
      return broken;
    },
    push(chunk) {
      if (broken !== undefined) return [];
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes < needed) return [];
      const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting);
      const found: WebSocketMessage[] = [];
      let at = 0;
      needed = 2;
      while (broken === undefined) {
        const head = headAt(bytes, at);
        if (typeof head === 'string') {
          broken = head;
          break;
        }
        needed = typeof head === 'number' ? head : head.size + head.length;
        if (typeof head === 'number' || bytes.length - at < needed) break;
        at += needed;
        consumed += needed;
        found.push(...take(head, bytes.subarray(at - needed, at)));
      }
      waiting = [bytes.subarray(at)];
      waitingBytes = bytes.length - at;
      return found;
    },
  };
}

/** The head of the next frame; how many bytes it needs at the least, if it is not there yet; or why it is none. */
function headAt(bytes: Buffer, at: number): Head | number | string {
  if (bytes.length - at < 2) return 2;
  const [first, second] = [bytes.readUInt8(at), bytes.readUInt8(at + 1)];
  if ((first & 0x70) !== 0) return 'a reserved bit is set';
  const masked = (second & 0x80) !== 0;
  const short = second & 0x7f;
  const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
  const size = 2 + wide + (masked ? 4 : 0);
  if (bytes.length - at < size) return size;
  const length =
    wide === 0 ? short : wide === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  if (length > MAX_FRAME) return `a frame of ${length} bytes`;
  return { last: (first & 0x80) !== 0, opcode: first & 0x0f, masked, size, length };
}

function payloadOf({ masked, size }: Head, frame: Buffer): Buffer {
  const payload = frame.subarray(size);
  if (!masked) return payload;
  const clear = Buffer.from(payload);
  for (let index = 0; index < clear.length; index += 1)
    clear[index] = (clear[index] as number) ^ (frame[size - 4 + (index % 4)] as number);
  return clear;
}
