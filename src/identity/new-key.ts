/** A new Ed25519 key, active from now on. */
import { generateKeyPairSync } from 'node:crypto';
import type { StoredKey } from './key-file.js';
import { thumbprint } from './thumbprint.js';

export function newKey(now: number): StoredKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { kid: thumbprint(x), x, d, notBefore: now, state: 'active', publicKey, privateKey };
}
