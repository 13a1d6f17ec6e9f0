/** A new Ed25519 key, active from now on. */
import { generateKeyPairSync } from 'node:crypto';
import type { StoredKey } from './key-file.js';
import { thumbprint } from './thumbprint.js';

/** Its kid never begins with a dash: `oab-peer keys revoke FILE KID` would take it for an option. */
export function newKey(now: number): StoredKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
  const kid = thumbprint(x);
  if (kid.startsWith('-')) return newKey(now);
  return { kid, x, d, notBefore: now, state: 'active', publicKey, privateKey };
}
