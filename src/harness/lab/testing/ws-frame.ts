/** Frames of a WebSocket, made byte by byte for tests. */

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const KEY = Buffer.from([0x9a, 0x00, 0x37, 0xff]);

export function wsFrame(
  kind: keyof typeof OPCODES,
  payload: string | Buffer,
  { last = true }: { last?: boolean } = {},
): Buffer {
  const body = Buffer.from(payload as string);
  const head = Buffer.from([(last ? 0x80 : 0) | OPCODES[kind]]);
  return Buffer.concat([head, lengthOf(body.length), body]);
}

/** The same frame as a client sends it. */
wsFrame.mask = (frame: Buffer): Buffer => {
  const short = (frame[1] as number) & 0x7f;
  const size = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
  const head = Buffer.from(frame.subarray(0, size));
  head[1] = (head[1] as number) | 0x80;
  const body = Buffer.from(frame.subarray(size));
  for (const [index, byte] of body.entries()) body[index] = byte ^ (KEY[index % KEY.length] as number);
  return Buffer.concat([head, KEY, body]);
};

function lengthOf(length: number): Buffer {
  if (length < 126) return Buffer.from([length]);
  if (length < 65_536) return Buffer.from([126, length >> 8, length & 0xff]);
  const wide = Buffer.alloc(9);
  wide[0] = 127;
  wide.writeBigUInt64BE(BigInt(length), 1);
  return wide;
}
