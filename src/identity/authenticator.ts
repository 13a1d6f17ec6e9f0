/** Who is calling: a configured peer with a valid credential, or nobody (deny by default, O-95, O-96). */
import type { Authenticator, Credentials, KeyRing, VerifiedCaller } from './ports.js';
import { verifyToken } from './token.js';

export interface AuthenticatorOptions {
  /** This executor's peer id: the one audience that is accepted. */
  self: string;
  /** The token keys of each configured caller. */
  peers: ReadonlyMap<string, KeyRing>;
  skewMs: number;
  windowMs: number;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return {
    verify({ authorization }: Credentials, now: number) {
      return Promise.resolve(verifyBearer(authorization, now, options));
    },
  };
}

function verifyBearer(
  authorization: string | undefined,
  now: number,
  { self, peers, skewMs, windowMs }: AuthenticatorOptions,
): { caller?: VerifiedCaller; reason: string } {
  const match = /^Bearer +([A-Za-z0-9_\-.]+)$/i.exec(authorization ?? '');
  if (match === null) return { reason: authorization === undefined ? 'no credential' : 'no bearer token' };
  const verified = verifyToken(match[1] ?? '', {
    audience: self,
    find: (caller, kid) => peers.get(caller)?.find(kid),
    now,
    skewMs,
    windowMs,
  });
  if ('refused' in verified) return { reason: verified.refused };
  const { iss, cap, req, jti } = verified.claims;
  return {
    caller: { peer: iss, via: 'token', cap, jti, ...(req === undefined ? {} : { req }) },
    reason: 'ok',
  };
}
