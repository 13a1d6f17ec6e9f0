/** Agent tokens (profile section 1): short-lived compact JWS, bound on the two send operations to one request. */
import { type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { isPeerId } from '../profile/peer-id.js';
import { parseStrictBytes } from '../profile/strict-json.js';
import type { TrustedKey } from './ports.js';

export const TOKEN_TYP = 'oab-agent+jwt';
/** Longest life, in seconds. */
export const MAX_LIFETIME = 300;
const MAX_TOKEN = 8192;

/** Beside this thread: a signature costs about as much as all else that is done with a small request. */
const verifyAside = promisify<null, Buffer, KeyObject, Buffer, boolean>(verify);

export interface Claims {
  iss: string;
  sub: string;
  aud: string;
  iat: number;
  exp: number;
  jti: string;
  cap: string[];
  req?: string;
}

export interface Mint {
  caller: string;
  executor: string;
  cap: readonly string[];
  /** The request digest; required by the executor on SendMessage and SendStreamingMessage. */
  req?: string;
  /** ms since the epoch. */
  now: number;
  jti: string;
  /** Seconds; at most 300, with `req` at most windowSeconds − 3·skew. */
  lifetime: number;
}

export function mintToken(key: { kid: string; key: KeyObject }, mint: Mint): string {
  const iat = Math.floor(mint.now / 1000);
  const claims: Claims = {
    iss: mint.caller,
    sub: mint.caller,
    aud: mint.executor,
    iat,
    exp: iat + mint.lifetime,
    jti: mint.jti,
    cap: [...mint.cap],
    ...(mint.req === undefined ? {} : { req: mint.req }),
  };
  return signCompact(TOKEN_TYP, claims, key);
}

/** A compact JWS over claims, with exactly the header that our verifiers accept. */
export function signCompact(typ: string, claims: object, key: { kid: string; key: KeyObject }): string {
  const input = `${encode({ alg: 'EdDSA', typ, kid: key.kid })}.${encode(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), key.key).toString('base64url')}`;
}

const header = z.strictObject({
  alg: z.literal('EdDSA'),
  typ: z.string(),
  kid: z.string().min(1).max(128),
});
const seconds = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const claimsSchema = z.object({
  iss: z.string().refine(isPeerId),
  sub: z.string().refine(isPeerId),
  aud: z.string(),
  iat: seconds,
  exp: seconds,
  jti: z.string().min(1).max(256),
  cap: z.array(z.string().max(64)).max(32),
  req: z.string().max(128).optional(),
});

export interface TokenRules {
  /** This executor. */
  audience: string;
  /** The key of a configured caller, by its name and kid. */
  find(caller: string, kid: string): TrustedKey | undefined;
  now: number;
  skewMs: number;
  windowMs: number;
}

/** The claims of a valid token, or why it is none: for the audit, never for the answer. */
export async function verifyToken(
  token: string,
  rules: TokenRules,
): Promise<{ claims: Claims } | { refused: string }> {
  const read = readCompact(token, TOKEN_TYP, claimsSchema, rules.find);
  if ('refused' in read) return read;
  if (!(await verifyAside(null, read.signed, read.key.key, read.signature))) return { refused: 'signature' };
  const claims = read.claims as Claims;
  return timely(claims, read.key, rules) ?? { claims };
}

/**
 * What a compact JWS of this `typ` says, once its signature by a configured key of its issuer is verified; its times and
 * audience are the caller's to judge.
 */
export function openCompact<T extends { iss: string; sub: string }>(
  token: string,
  typ: string,
  schema: z.ZodType<T>,
  find: (caller: string, kid: string) => TrustedKey | undefined,
): { claims: T; key: TrustedKey } | { refused: string } {
  const read = readCompact(token, typ, schema, find);
  if ('refused' in read) return read;
  return verify(null, read.signed, read.key.key, read.signature) ? read : { refused: 'signature' };
}

/** What stands in it, believed by nobody before its signature by that key is verified. */
function readCompact<T extends { iss: string; sub: string }>(
  token: string,
  typ: string,
  schema: z.ZodType<T>,
  find: (caller: string, kid: string) => TrustedKey | undefined,
): { claims: T; key: TrustedKey; signed: Buffer; signature: Buffer } | { refused: string } {
  if (token.length > MAX_TOKEN) return { refused: 'too long' };
  const parts = token.split('.');
  if (parts.length !== 3) return { refused: 'no compact JWS' };
  const [head = '', body = '', tail = ''] = parts;
  const head_ = header.safeParse(decode(head));
  if (!head_.success || head_.data.typ !== typ) return { refused: 'header' };
  const parsed = schema.safeParse(decode(body));
  if (!parsed.success) return { refused: 'claims' };
  const claims = parsed.data;
  if (claims.iss !== claims.sub) return { refused: 'iss is not sub' };
  const key = find(claims.iss, head_.data.kid);
  if (key === undefined) return { refused: 'unknown caller or key' };
  if (key.state !== 'active' || key.key.asymmetricKeyType !== 'ed25519')
    return { refused: `key ${key.state}` };
  const signature = Buffer.from(tail, 'base64url');
  if (signature.toString('base64url') !== tail) return { refused: 'signature' };
  return { claims, key, signed: Buffer.from(`${head}.${body}`), signature };
}

function timely(claims: Claims, key: TrustedKey, rules: TokenRules): { refused: string } | undefined {
  const longest =
    claims.req === undefined
      ? MAX_LIFETIME
      : Math.min(MAX_LIFETIME, (rules.windowMs - 3 * rules.skewMs) / 1000);
  return untimely(claims, key, longest, rules);
}

/** Why these claims do not hold now and here, if they do not; `longest` in seconds. */
export function untimely(
  claims: { aud: string; iat: number; exp: number },
  key: TrustedKey,
  longest: number,
  { audience, now, skewMs }: Pick<TokenRules, 'audience' | 'now' | 'skewMs'>,
): { refused: string } | undefined {
  if (claims.aud !== audience) return { refused: 'audience' };
  if (claims.exp <= claims.iat || claims.exp > claims.iat + longest) return { refused: 'lifetime' };
  if (claims.iat * 1000 > now + skewMs) return { refused: 'issued in the future' };
  if (claims.exp * 1000 <= now - skewMs) return { refused: 'expired' };
  const issued = claims.iat * 1000;
  if (issued + 1000 <= key.notBefore - skewMs || (key.notAfter !== undefined && issued > key.notAfter)) {
    return { refused: 'key not valid at iat' };
  }
  return undefined;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(segment: string): unknown {
  const bytes = Buffer.from(segment, 'base64url');
  if (bytes.toString('base64url') !== segment) return undefined;
  try {
    return parseStrictBytes(bytes, 4);
  } catch {
    // Told by the caller as a malformed header or claims set.
    return undefined;
  }
}
