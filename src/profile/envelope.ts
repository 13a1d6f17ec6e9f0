/** The result envelope (section 6): its schema, its digest, and the detached flattened JWS over it. */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { digestOf, isDigest, jcs } from './canonical.js';
import type { Digest, ResultEnvelope } from './model.js';
import { isPeerId } from './peer-id.js';
import { instant } from './request.js';
import { parseStrictBytes } from './strict-json.js';

const digest = z.custom<Digest>(isDigest);
const ascii = z.string().regex(/^[\x21-\x7e]{1,128}$/);
const peer = z.string().refine(isPeerId);

export const MAX_SUMMARY_BYTES = 2048;
export const MAX_ARTIFACTS = 64;
/** Beyond it one `truncated` entry follows. */
export const MAX_SIDE_EFFECTS = 128;
export const MAX_TARGET_BYTES = 128;

const atMost = (bytes: number) => z.string().refine((value) => Buffer.byteLength(value) <= bytes);

export const envelopeSchema = z.strictObject({
  protocol_version: z.literal(1),
  request_id: ascii,
  task_id: ascii,
  turn_id: ascii,
  status: z.enum(['completed', 'failed', 'cancelled', 'expired', 'unknown', 'rejected']),
  summary: atMost(MAX_SUMMARY_BYTES),
  error: z.strictObject({ code: ascii, message: atMost(1024) }).nullable(),
  executed_by: peer,
  caller: peer,
  effective_capabilities: z.array(z.string().max(64)).max(32),
  request_digest: digest,
  result_digest: digest,
  artifacts: z
    .array(
      z.strictObject({
        artifact_id: ascii,
        owner: peer,
        digest,
        derived_from: z.strictObject({ task_id: ascii, artifact_id: ascii, digest }).optional(),
      }),
    )
    .max(MAX_ARTIFACTS),
  side_effects: z
    .array(
      z.strictObject({
        kind: ascii,
        tool_call_id: ascii.optional(),
        target: atMost(MAX_TARGET_BYTES).optional(),
        evidence: z.enum(['observed', 'denied', 'unverified']),
      }),
    )
    .max(MAX_SIDE_EFFECTS + 1),
  event_log: z.strictObject({
    last_sequence: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    head: digest,
  }),
  signed_at: instant,
  cancel_requested_at: instant.optional(),
  attestation: z.strictObject({
    algorithm: z.literal('ed25519'),
    key_id: ascii,
    protected: z.string().max(1024),
    signature: z.string().max(256),
  }),
});

export type UnsignedEnvelope = Omit<ResultEnvelope, 'result_digest' | 'attestation'>;

export const RESULT_TYP = 'oab-result+jws';

/** SHA-256 over JCS without `result_digest` and `attestation` (D-6). */
export function resultDigest(envelope: UnsignedEnvelope | ResultEnvelope): Digest {
  const { result_digest: _d, attestation: _a, ...rest } = envelope as ResultEnvelope;
  return digestOf(rest);
}

/** The protected header, exactly `{alg, kid, typ}`, as base64url of its JSON. */
function protectedHeader(kid: string): string {
  return Buffer.from(JSON.stringify({ alg: 'EdDSA', kid, typ: RESULT_TYP })).toString('base64url');
}

/** RFC 7515 section 5.1 with a detached payload (appendix F): the envelope's JCS is not repeated beside itself. */
function signingInput(header: string, envelope: Record<string, unknown>): Buffer {
  return Buffer.from(`${header}.${Buffer.from(jcs(envelope)).toString('base64url')}`);
}

/** Signs with node:crypto; the bytes are those that a JOSE library makes (a test compares). */
export function signEnvelope(
  unsigned: UnsignedEnvelope,
  key: { kid: string; key: KeyObject },
): ResultEnvelope {
  const payload = { ...unsigned, result_digest: resultDigest(unsigned) };
  const header = protectedHeader(key.kid);
  const signature = sign(null, signingInput(header, payload), key.key).toString('base64url');
  return {
    ...payload,
    attestation: { algorithm: 'ed25519', key_id: key.kid, protected: header, signature },
  };
}

export type EnvelopeRefusal =
  | 'MALFORMED_ENVELOPE'
  | 'KEY_UNKNOWN'
  | 'KEY_REVOKED'
  | 'KEY_NOT_VALID'
  | 'HEADER_INVALID'
  | 'SIGNATURE_INVALID'
  | 'RESULT_DIGEST_MISMATCH';

/** A key that configuration trusts for results, as far as verification needs it (section 1, Keys). */
export interface ResultKey {
  key: KeyObject;
  notBefore: number;
  notAfter?: number | undefined;
  state: 'active' | 'retired' | 'revoked';
}

/**
 * Checks shape, header, key, signature and result digest of a raw envelope. The key is chosen by `kid` from
 * configuration alone, the algorithm is pinned by the key; nothing in the header can bring or name another.
 */
export function openEnvelope(
  raw: unknown,
  find: (kid: string) => ResultKey | undefined,
): { envelope: ResultEnvelope } | { refused: EnvelopeRefusal } {
  const parsed = envelopeSchema.safeParse(raw);
  if (!parsed.success) return { refused: 'MALFORMED_ENVELOPE' };
  const envelope = parsed.data as ResultEnvelope;
  const { attestation, ...payload } = envelope;
  // One spelling of the header: no crit, jku, jwk, x5u, x5c, no other alg can stand in it (OPEN-32, OPEN-37).
  if (attestation.protected !== protectedHeader(attestation.key_id) && !sameHeader(attestation)) {
    return { refused: 'HEADER_INVALID' };
  }
  const key = find(attestation.key_id);
  if (key === undefined || key.key.asymmetricKeyType !== 'ed25519') return { refused: 'KEY_UNKNOWN' };
  if (key.state === 'revoked') return { refused: 'KEY_REVOKED' };
  const signedAt = Date.parse(envelope.signed_at);
  // A retired key vouches for what was signed up to its end; without a known end, for nothing (section 1).
  const notAfter = key.notAfter ?? (key.state === 'retired' ? Number.NEGATIVE_INFINITY : undefined);
  if (signedAt < key.notBefore || (notAfter !== undefined && signedAt > notAfter)) {
    return { refused: 'KEY_NOT_VALID' };
  }
  const publicKey = key.key.type === 'public' ? key.key : createPublicKey(key.key);
  const signature = Buffer.from(attestation.signature, 'base64url');
  if (
    signature.toString('base64url') !== attestation.signature ||
    !verify(null, signingInput(attestation.protected, payload), publicKey, signature)
  ) {
    return { refused: 'SIGNATURE_INVALID' };
  }
  if (resultDigest(envelope) !== envelope.result_digest) return { refused: 'RESULT_DIGEST_MISMATCH' };
  return { envelope };
}

/** The same three members in another order or spacing: another JSON library wrote it. */
function sameHeader({ protected: encoded, key_id }: ResultEnvelope['attestation']): boolean {
  const bytes = Buffer.from(encoded, 'base64url');
  if (bytes.toString('base64url') !== encoded) return false;
  let header: unknown;
  try {
    // Strict: of two members with one name another reader could take the other.
    header = parseStrictBytes(bytes, 2);
  } catch {
    // No JSON is no header; the refusal is the caller's.
    return false;
  }
  if (typeof header !== 'object' || header === null || Object.keys(header).length !== 3) return false;
  const { alg, kid, typ } = header as Record<string, unknown>;
  return alg === 'EdDSA' && kid === key_id && typ === RESULT_TYP;
}
