/** The key that signs decisions: made on first use in `.oab-gate/`, or brought by path (CI). */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

export const DEFAULT_KEY = join('.oab-gate', 'verdict.jwk');

/** Reads the private JWK at `path`, or makes one there with its public half beside it (`verdict.pub.jwk`). */
export async function decisionKey(path: string): Promise<{ jwk: JWK; made: boolean }> {
  if (existsSync(path)) return { jwk: readKey(path, 'private'), made: false };
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
  const jwk = await exportJWK(privateKey);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // `wx`: two first runs at once must not sign with different keys under one name.
  writeFileSync(path, `${JSON.stringify(jwk)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(path, 0o600);
  writeFileSync(publicPath(path), `${JSON.stringify(await exportJWK(publicKey))}\n`);
  return { jwk, made: true };
}

export function publicPath(path: string): string {
  return path.replace(/(\.jwk)?$/, '.pub.jwk');
}

/** Reads an Ed25519 JWK; throws with the path and what is wrong, never with the key. */
export function readKey(path: string, half: 'private' | 'public'): JWK {
  let jwk: JWK;
  try {
    jwk = JSON.parse(readFileSync(path, 'utf8')) as JWK;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Error(
      `${path}: ${code === undefined ? 'no JSON' : `cannot be read (${code})`}; an Ed25519 JWK is needed`,
    );
  }
  if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') {
    throw new Error(`${path}: no Ed25519 JWK (kty OKP, crv Ed25519)`);
  }
  if (half === 'public') return { kty: jwk.kty, crv: jwk.crv, x: jwk.x };
  if (typeof jwk.d !== 'string') throw new Error(`${path}: the private half (d) is missing`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(`${path}: others can read this private key; run chmod 600 on it`);
  }
  return jwk;
}
