/** A file of public TLS keys that configuration pins: one JWK, or a JWKS while a key is being rotated (RFC 7517). */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { sameKey } from './certificate.js';
import { fileStamp } from './file-stamp.js';
import { KeyFileError } from './key-file.js';

const jwk = z.looseObject({ kty: z.enum(['OKP', 'EC', 'RSA']) });
const file = z.union([z.strictObject({ keys: z.array(jwk).min(1).max(16) }), jwk]);

export interface PinnedKeys {
  has(key: KeyObject): boolean;
  /** Reads the file again if it changed, or always with `force`; a file that is wrong changes nothing and throws. */
  reload(force?: boolean): boolean;
}

/** Throws KeyFileError when the file cannot be used. */
export function openPinnedKeys(path: string): PinnedKeys {
  let keys = readPinnedKeys(path);
  let seen = fileStamp(path);
  return {
    has: (key) => keys.some((one) => sameKey(one, key)),
    reload(force = false) {
      const stamp = fileStamp(path);
      if (!force && stamp === seen) return false;
      keys = readPinnedKeys(path);
      seen = stamp;
      return true;
    },
  };
}

function readPinnedKeys(path: string): KeyObject[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyFileError(
      `${path}: ${code === undefined ? 'no JSON' : `cannot be read (${code})`}; name a JWK file`,
    );
  }
  const parsed = file.safeParse(json);
  if (!parsed.success) throw new KeyFileError(`${path}: neither a JWK nor a JWKS of public keys`);
  const found = 'keys' in parsed.data && Array.isArray(parsed.data.keys) ? parsed.data.keys : [parsed.data];
  return found.map((key) => {
    if ('d' in (key as object))
      throw new KeyFileError(`${path}: holds a private key; a pin is the public half`);
    try {
      return createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    } catch {
      throw new KeyFileError(`${path}: a key that cannot be read as a public JWK`);
    }
  });
}
