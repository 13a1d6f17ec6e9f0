import type { Defect } from '../defect.js';

/** PRF-21: the clock is the token’s own. */
export const expiredTokensPass: Defect = {
  id: 'expired-tokens-pass',
  breaks: 'a token is checked at the time at which it says that it was issued',
  fails: ['PRF-21'],
  bindings: ['OAB'],
  executor: (parts) => ({
    ...parts,
    authenticator: {
      verify: (credentials, now) =>
        parts.authenticator.verify(credentials, issuedAt(credentials.authorization) ?? now),
    },
  }),
};

function issuedAt(authorization: string | undefined): number | undefined {
  const claims = authorization?.split('.')[1];
  if (claims === undefined) return undefined;
  try {
    return (JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { iat: number }).iat * 1000;
  } catch {
    // No claims: the real check says so.
    return undefined;
  }
}
