/** First byte of a frame: what it is, or'ed with what it says of itself (RFC 6455 section 5.2). */
export const FRAME = { text: 0x1, binary: 0x2, continued: 0x0, final: 0x80, compressed: 0x40 } as const;

/** A client's frame of any length; masked by a key that changes nothing. */
export function clientFrame(first: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(14);
  head.writeUInt8(first, 0);
  head.writeUInt8(0xff, 1);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
