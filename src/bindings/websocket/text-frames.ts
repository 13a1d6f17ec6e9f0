/** A server's text frames, many in one piece of memory (RFC 6455 section 5.2). */

const TEXT = 0x81;
const SHORT = 125;
const MEDIUM = 0xffff;

export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const size = lengths.reduce((sum, length) => sum + headOf(length) + length, 0);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const length = lengths[index] as number;
    bytes[at] = TEXT;
    if (length <= SHORT) bytes[at + 1] = length;
    else if (length <= MEDIUM) {
      bytes[at + 1] = 126;
      bytes.writeUInt16BE(length, at + 2);
    } else {
      bytes[at + 1] = 127;
      bytes.writeBigUInt64BE(BigInt(length), at + 2);
    }
    at += headOf(length);
    at += bytes.write(text, at, 'utf8');
  }
  return bytes;
}

function headOf(length: number): number {
  return length <= SHORT ? 2 : length <= MEDIUM ? 4 : 10;
}
