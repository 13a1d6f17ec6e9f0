/** Relay tokens (profile section 1): who may register a tunnel at one relay, or open connections through it. */
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { isPeerId } from '../profile/peer-id.js';
import type { TrustedKey } from './ports.js';
import { MAX_LIFETIME, openCompact, signCompact, untimely } from './token.js';

const RELAY_TOKEN_TYP = 'oab-relay+jwt';

const seconds = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const claimsSchema = z.object({
  iss: z.string().refine(isPeerId),
  sub: z.string().refine(isPeerId),
  aud: z.string(),
  iat: seconds,
  exp: seconds,
  jti: z.string().min(1).max(256),
});

/** The one audience of tokens for a relay. */
export function relayAudience(relay: string): string {
  return `relay:${relay}`;
}

/** `lifetime` in seconds, at most 300; `now` in ms. */
export function mintRelayToken(
  key: { kid: string; key: KeyObject },
  mint: { peer: string; relay: string; now: number; jti: string; lifetime: number },
): string {
  const iat = Math.floor(mint.now / 1000);
  return signCompact(
    RELAY_TOKEN_TYP,
    {
      iss: mint.peer,
      sub: mint.peer,
      aud: relayAudience(mint.relay),
      iat,
      exp: iat + mint.lifetime,
      jti: mint.jti,
    },
    key,
  );
}

export interface RelayTokenRules {
  /** This relay's id. */
  relay: string;
  find(peer: string, kid: string): TrustedKey | undefined;
  /** ms. */
  now: number;
  skewMs: number;
}

/** The peer that a valid token speaks for and the key that says so, or why there is none: for the log, never for the answer. */
export function verifyRelayToken(
  token: string,
  { relay, find, now, skewMs }: RelayTokenRules,
): { peer: string; kid: string } | { refused: string } {
  const opened = openCompact(token, RELAY_TOKEN_TYP, claimsSchema, find);
  if ('refused' in opened) return opened;
  const rules = { audience: relayAudience(relay), now, skewMs };
  return (
    untimely(opened.claims, opened.key, MAX_LIFETIME, rules) ?? {
      peer: opened.claims.iss,
      kid: opened.key.kid,
    }
  );
}
