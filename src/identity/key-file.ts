/**
 * Keys on disk: a JWKS file (RFC 7517) whose entries also say `not_before`, `not_after` and `state` (profile section
 * 1). A file with a private half must be readable by its owner only.
 */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { KeyState } from './ports.js';
import { thumbprint } from './thumbprint.js';

const entry = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string().optional(),
  kid: z.string(),
  not_before: z.iso.datetime(),
  not_after: z.iso.datetime().optional(),
  state: z.enum(['active', 'retired', 'revoked']),
});
const file = z.object({ keys: z.array(entry).max(64) });

export interface StoredKey {
  kid: string;
  x: string;
  d?: string;
  notBefore: number;
  notAfter?: number;
  state: KeyState;
  publicKey: KeyObject;
  privateKey?: KeyObject;
}

/** What is wrong with a key file: path, key, and what to do; never a part of a key. */
export class KeyFileError extends Error {
  override name = 'KeyFileError';
}

export function readKeyFile(path: string): StoredKey[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new KeyFileError(
      `${path}: ${code === undefined ? 'no JSON' : `cannot be read (${code})`}; "oab-peer keys new" makes one`,
    );
  }
  const parsed = file.safeParse(json);
  if (!parsed.success) {
    throw new KeyFileError(
      `${path}: ${parsed.error.issues[0]?.path.join('.') ?? ''}: not a JWKS of Ed25519 keys with not_before and state`,
    );
  }
  const keys = parsed.data.keys.map((key) => stored(path, key));
  if (
    keys.some(({ d }) => d !== undefined) &&
    process.platform !== 'win32' &&
    (statSync(path).mode & 0o077) !== 0
  ) {
    throw new KeyFileError(`${path}: holds a private key and others can read it; run chmod 600 on it`);
  }
  if (new Set(keys.map(({ kid }) => kid)).size !== keys.length)
    throw new KeyFileError(`${path}: two keys with one kid`);
  return keys;
}

/** Replaces the file in one step, so that a reader sees the old keys or the new ones. */
export function writeKeyFile(path: string, keys: readonly StoredKey[], half: 'private' | 'public'): void {
  const json = { keys: keys.map((key) => jwkOf(key, half)) };
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, `${JSON.stringify(json, null, 2)}\n`, {
    mode: half === 'private' ? 0o600 : 0o644,
  });
  renameSync(temporary, path);
}

/** The JWK of one half with our three members beside it. */
export function jwkOf(key: StoredKey, half: 'private' | 'public'): Record<string, unknown> {
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x: key.x,
    ...(half === 'private' && key.d !== undefined ? { d: key.d } : {}),
    kid: key.kid,
    alg: 'EdDSA',
    use: 'sig',
    not_before: new Date(key.notBefore).toISOString(),
    ...(key.notAfter === undefined ? {} : { not_after: new Date(key.notAfter).toISOString() }),
    state: key.state,
  };
}

function stored(path: string, { x, d, kid, not_before, not_after, state }: z.infer<typeof entry>): StoredKey {
  if (kid !== thumbprint(x))
    throw new KeyFileError(`${path}: key ${kid.slice(0, 64)}: the kid is not the key's RFC 7638 thumbprint`);
  const jwk: JsonWebKey = { kty: 'OKP', crv: 'Ed25519', x };
  try {
    const privateKey = d === undefined ? undefined : createPrivateKey({ key: { ...jwk, d }, format: 'jwk' });
    // OpenSSL takes `d` alone: what the other half would sign, nobody who trusts `x` could verify.
    if (privateKey !== undefined && createPublicKey(privateKey).export({ format: 'jwk' }).x !== x)
      throw new KeyFileError('halves of two keys');
    return {
      kid,
      x,
      ...(d === undefined || privateKey === undefined ? {} : { d, privateKey }),
      notBefore: Date.parse(not_before),
      ...(not_after === undefined ? {} : { notAfter: Date.parse(not_after) }),
      state,
      publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
    };
  } catch {
    throw new KeyFileError(`${path}: key ${kid}: no usable Ed25519 key`);
  }
}
