/** The verdict's signature: a compact JWS whose payload is the bytes of `verdict.json` (RFC 7515, EdDSA). */
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  importJWK,
  type JWK,
} from 'jose';

export const VERDICT_TYP = 'oab-gate-verdict+jws';

export async function signVerdict(json: Uint8Array, privateJwk: JWK): Promise<string> {
  const kid = await calculateJwkThumbprint(privateJwk);
  return new CompactSign(json)
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: VERDICT_TYP })
    .sign(await importJWK(privateJwk, 'EdDSA'));
}

/**
 * The payload of a verdict's JWS under a key that the reader trusts; throws when it does not verify.
 * A key inside the file is never used: whoever wrote the file wrote that too.
 */
export async function openVerdict(jws: string, publicJwk: JWK): Promise<Uint8Array> {
  const { payload, protectedHeader } = await compactVerify(jws, await importJWK(publicJwk, 'EdDSA'), {
    algorithms: ['EdDSA'],
  });
  if (protectedHeader.typ !== VERDICT_TYP)
    throw new Error(`typ is ${String(protectedHeader.typ)}, not ${VERDICT_TYP}`);
  // Spare bits of base64url would let a changed character decode to the same signature.
  const segments = jws.split('.');
  if (segments.some((segment) => Buffer.from(segment, 'base64url').toString('base64url') !== segment)) {
    throw new Error('not in canonical base64url');
  }
  return payload;
}

/** The payload and the claimed kid, unverified: good for integrity of what lies beside it, for nothing else. */
export function peekVerdict(jws: string): { payload: Uint8Array; kid: string | undefined } {
  const [, payload = ''] = jws.split('.');
  return { payload: Buffer.from(payload, 'base64url'), kid: decodeProtectedHeader(jws).kid };
}
