/** RFC 8785 (JCS) and the digests over it. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Digest } from './model.js';

/** The JCS text of a JSON value; throws for what JSON cannot hold (undefined, NaN, lone surrogates). */
export function jcs(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** `sha256:` + lower-case hex of SHA-256. */
export function sha256(bytes: string | Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function digestOf(value: unknown): Digest {
  return sha256(jcs(value));
}

export function isDigest(value: unknown): value is Digest {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}
