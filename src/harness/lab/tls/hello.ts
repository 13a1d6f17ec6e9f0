/** What the two plain messages at the start of a TLS connection say: RFC 8446 sections 4.1.2 and 4.1.3. */

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_HELLO = 2;
/** Record header, handshake header, legacy version. */
const RANDOM_AT = 5 + 4 + 2;

/** The client's random in hex, by which key logs name a connection; undefined when this is no ClientHello, or not all of it. */
export function clientRandom(bytes: Buffer): string | undefined {
  if (bytes.length < RANDOM_AT + 32 || bytes[0] !== HANDSHAKE || bytes[5] !== CLIENT_HELLO) return undefined;
  return bytes.toString('hex', RANDOM_AT, RANDOM_AT + 32);
}

/** The cipher suite that the server chose. */
export function cipherSuite(bytes: Buffer): number | undefined {
  const sessionAt = RANDOM_AT + 32;
  if (bytes.length <= sessionAt || bytes[0] !== HANDSHAKE || bytes[5] !== SERVER_HELLO) return undefined;
  const suiteAt = sessionAt + 1 + (bytes[sessionAt] ?? 0);
  return bytes.length < suiteAt + 2 ? undefined : bytes.readUInt16BE(suiteAt);
}

/** Whether a connection begins like TLS; undefined while nothing has come. */
export function looksLikeTls(bytes: Buffer): boolean | undefined {
  return bytes.length === 0 ? undefined : bytes[0] === HANDSHAKE;
}
