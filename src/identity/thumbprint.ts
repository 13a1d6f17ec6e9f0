/** RFC 7638 thumbprint of an Ed25519 key: the only kid that we give. */
import { createHash } from 'node:crypto';

/** `x` is the public key as the JWK has it. */
export function thumbprint(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}
