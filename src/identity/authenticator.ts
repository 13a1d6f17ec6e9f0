/** Who is calling: a configured peer with a valid credential, or nobody (deny by default, O-95, O-96). */
import { verifyCertificate } from './certificate.js';
import type { Authenticator, Credentials, KeyRing, TrustedCertificate, VerifiedCaller } from './ports.js';
import { verifyToken } from './token.js';

export interface AuthenticatorOptions {
  /** This executor's peer id: the one audience that is accepted. */
  self: string;
  /** The token keys of each configured caller. */
  peers: ReadonlyMap<string, KeyRing>;
  /** The callers that may prove themselves by a TLS certificate. */
  certificates?: ReadonlyMap<string, TrustedCertificate>;
  skewMs: number;
  windowMs: number;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return {
    verify: (credentials, now) => verify(credentials, now, options),
  };
}

async function verify(
  { authorization, certificate }: Credentials,
  now: number,
  options: AuthenticatorOptions,
): Promise<{ caller?: VerifiedCaller; reason: string }> {
  if (certificate === undefined) return verifyBearer(authorization, now, options);
  // One that is presented counts, also beside a good token: a half-trusted caller is not a caller.
  const shown = verifyCertificate(certificate, options.certificates ?? new Map(), now);
  if (shown.caller === undefined || authorization === undefined) return shown;
  const spoken = await verifyBearer(authorization, now, options);
  if (spoken.caller === undefined) return spoken;
  if (spoken.caller.peer !== shown.caller.peer) return { reason: 'certificate and token of two peers' };
  return spoken;
}

async function verifyBearer(
  authorization: string | undefined,
  now: number,
  { self, peers, skewMs, windowMs }: AuthenticatorOptions,
): Promise<{ caller?: VerifiedCaller; reason: string }> {
  const match = /^Bearer +([A-Za-z0-9_\-.]+)$/i.exec(authorization ?? '');
  if (match === null) return { reason: authorization === undefined ? 'no credential' : 'no bearer token' };
  const verified = await verifyToken(match[1] ?? '', {
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
