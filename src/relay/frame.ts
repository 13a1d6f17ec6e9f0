/** Binary messages of a WebSocket as the bytes of their frames (RFC 6455 section 5.2): one message, one frame, one piece. */
import { randomFillSync } from 'node:crypto';

const FINAL_BINARY = 0x82;
const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MASK_BYTES = 4;

/** Masks are taken from a store: asking the system for four bytes each time costs more than the frame. */
const store = Buffer.alloc(4096);
let used = store.length;

/**
 * A client masks what it sends (section 5.3), and by 32-bit words: byte by byte it would be the dearest step of a
 * tunnel. `length` is that of all chunks together and fits 32 bits.
 */
export function binaryFrame(chunks: readonly Buffer[], length: number, masked: boolean): Buffer {
  const extended = length < LENGTH_16 ? 0 : length < 2 ** 16 ? 2 : 8;
  const head = 2 + extended + (masked ? MASK_BYTES : 0);
  // The payload begins at a word; what the buffer has in front of the frame is not sent.
  const pad = (4 - (head % 4)) % 4;
  const whole = Buffer.allocUnsafe(pad + head + length);
  const mark = masked ? MASKED : 0;
  whole[pad] = FINAL_BINARY;
  whole[pad + 1] = mark | (extended === 0 ? length : extended === 2 ? LENGTH_16 : LENGTH_64);
  if (extended === 2) whole.writeUInt16BE(length, pad + 2);
  else if (extended === 8) {
    whole.writeUInt32BE(0, pad + 2);
    whole.writeUInt32BE(length, pad + 6);
  }
  const payload = pad + head;
  let at = payload;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  if (masked) {
    newMask().copy(whole, payload - MASK_BYTES);
    mask(whole, payload, length);
  }
  return pad === 0 ? whole : whole.subarray(pad);
}

function newMask(): Buffer {
  if (used === store.length) {
    randomFillSync(store);
    used = 0;
  }
  used += MASK_BYTES;
  return store.subarray(used - MASK_BYTES, used);
}

/** The mask stands in the four bytes before `from`. */
function mask(bytes: Buffer, from: number, length: number): void {
  const at = bytes.byteOffset + from;
  // A buffer of the pool begins at a multiple of eight; of one that does not, the loop below takes all.
  const words = at % 4 === 0 ? length >> 2 : 0;
  if (words > 0) {
    const view = new Int32Array(bytes.buffer, at - MASK_BYTES, words + 1);
    const key = view[0] as number;
    for (let index = 1; index <= words; index += 1) (view[index] as number) ^= key;
  }
  for (let index = words * 4; index < length; index += 1)
    (bytes[from + index] as number) ^= bytes[from - MASK_BYTES + (index & 3)] as number;
}
