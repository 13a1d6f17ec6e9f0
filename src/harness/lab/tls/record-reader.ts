/** Reads one direction of a TLS 1.3 connection with its logged secret: RFC 8446 sections 5 and 7.3. */
import { createDecipheriv, createHmac } from 'node:crypto';

/** Plain text, and the offset on the wire right behind it. */
export interface PlainPiece {
  end: number;
  bytes: Buffer;
  /** It came in one TLS record: there is no place on the wire inside it. */
  sealed: boolean;
}

interface Suite {
  cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  hash: 'sha256' | 'sha384';
  keyLength: number;
}

const SUITES: Record<number, Suite> = {
  4865: { cipher: 'aes-128-gcm', hash: 'sha256', keyLength: 16 },
  4866: { cipher: 'aes-256-gcm', hash: 'sha384', keyLength: 32 },
  4867: { cipher: 'chacha20-poly1305', hash: 'sha256', keyLength: 32 },
};
const HEADER = 5;
const APPLICATION_DATA = 23;
const TAG = 16;
const IV = 12;
const MAX_WAITING = 256;

export interface RecordReader {
  /** Takes the next bytes; gives the application data that they complete, and what waited for the secret. */
  push(chunk: Buffer): PlainPiece[];
}

/**
 * `suite` and `secret` are asked until they are known: both are settled before the first application data. Handshake
 * records, which have keys of their own, are the ones that the application key does not open.
 */
export function createRecordReader(
  suite: () => number | undefined,
  secret: () => Buffer | undefined,
): RecordReader {
  let pending: Buffer = Buffer.alloc(0);
  let position = 0;
  let waiting: { end: number; record: Buffer }[] = [];
  let keys: { suite: Suite; key: Buffer; iv: Buffer } | undefined;
  let sequence = 0;

  function derive(): typeof keys {
    if (keys !== undefined) return keys;
    const known = SUITES[suite() ?? -1];
    const from = known === undefined ? undefined : secret();
    if (known === undefined || from === undefined) return undefined;
    keys = {
      suite: known,
      key: expandLabel(known.hash, from, 'key', known.keyLength),
      iv: expandLabel(known.hash, from, 'iv', IV),
    };
    return keys;
  }

  function open(record: Buffer): { type: number; bytes: Buffer } | undefined {
    if (keys === undefined || record.length < HEADER + TAG + 1) return undefined;
    const nonce = Buffer.from(keys.iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(IV - 4) ^ (sequence >>> 0)) >>> 0, IV - 4);
    const decipher = createDecipheriv(keys.suite.cipher as 'aes-128-gcm', keys.key, nonce, {
      authTagLength: TAG,
    });
    decipher.setAAD(record.subarray(0, HEADER));
    decipher.setAuthTag(record.subarray(record.length - TAG));
    const inner = decipher.update(record.subarray(HEADER, record.length - TAG));
    try {
      decipher.final();
    } catch {
      // Of the handshake: encrypted with another key.
      return undefined;
    }
    sequence += 1;
    let last = inner.length - 1;
    while (last >= 0 && inner[last] === 0) last -= 1;
    return { type: inner[last] ?? 0, bytes: inner.subarray(0, Math.max(0, last)) };
  }

  return {
    push(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      while (pending.length >= HEADER) {
        const length = HEADER + pending.readUInt16BE(3);
        if (pending.length < length) break;
        position += length;
        if (pending[0] === APPLICATION_DATA)
          waiting.push({ end: position, record: pending.subarray(0, length) });
        pending = pending.subarray(length);
      }
      if (waiting.length === 0) return [];
      if (derive() === undefined) {
        // A client that logs its secrets has done so before it asks for anything: this one does not.
        if (waiting.length > MAX_WAITING) waiting = [];
        return [];
      }
      const ready = waiting;
      waiting = [];
      return ready.flatMap(({ end, record }) => {
        const opened = open(record);
        return opened?.type === APPLICATION_DATA ? [{ end, bytes: opened.bytes, sealed: true }] : [];
      });
    },
  };
}

/** HKDF-Expand-Label of RFC 8446 section 7.1, for outputs of at most one hash. */
function expandLabel(hash: string, secret: Buffer, label: string, length: number): Buffer {
  const full = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([
    Buffer.from([length >> 8, length & 0xff, full.length]),
    full,
    Buffer.from([0, 1]),
  ]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}
