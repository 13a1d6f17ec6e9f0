/** A signed result checked with nothing of the product's: a stock JOSE library and RFC 8785. */
import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { flattenedVerify, importJWK, type JWK } from 'jose';
import type { Json } from './probe.js';

/** Whether the envelope's detached JWS verifies under one of the keys of this JWKS file (profile section 6). */
export async function verifyResult(envelope: Json, jwksFile: string): Promise<boolean> {
  const { attestation, ...payload } = envelope as {
    attestation?: { key_id: string; protected: string; signature: string };
  };
  if (attestation === undefined) return false;
  const { keys } = JSON.parse(readFileSync(jwksFile, 'utf8')) as { keys: (JWK & { kid: string })[] };
  const key = keys.find(({ kid }) => kid === attestation.key_id);
  if (key === undefined) return false;
  const { kty, crv, x } = key as JWK;
  try {
    const { protectedHeader } = await flattenedVerify(
      {
        protected: attestation.protected,
        payload: Buffer.from(canonicalize(payload) ?? '').toString('base64url'),
        signature: attestation.signature,
      },
      await importJWK({ kty, crv, x } as JWK, 'EdDSA'),
      { algorithms: ['EdDSA'] },
    );
    return protectedHeader?.typ === 'oab-result+jws' && protectedHeader.kid === attestation.key_id;
  } catch {
    // Any failure of the library is a signature that does not verify.
    return false;
  }
}
