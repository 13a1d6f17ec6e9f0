/**
 * What the profile puts on a wire, as it is published in docs/schemas/wire/: the checks that the code itself makes where
 * it makes any, and beside them the shapes that it only writes.
 */
import { z } from 'zod';
import { isDigest } from './canonical.js';
import { cardParamsSchema } from './card.js';
import { envelopeSchema } from './envelope.js';
import { requestSchema } from './request.js';

const DIGEST = '^sha256:[0-9a-f]{64}$';
const PEER_ID = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const digest = z.string().regex(new RegExp(DIGEST)).refine(isDigest);
const peer = z.string().regex(new RegExp(PEER_ID));
const instant = z.string().regex(INSTANT);
const cursor = z.string().regex(/^[\x21-\x2b\x2d-\x7e]{1,256}$/);
const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const seconds = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const id = z.string().regex(/^[\x21-\x7e]{1,128}$/);

const event = z.strictObject({
  turn_id: id,
  sequence,
  cursor,
  head: digest.optional(),
  effective_capabilities: z.array(z.string().max(64)).max(32).optional(),
  deadline_at: instant.optional(),
});
const page = z.strictObject({
  events: z.array(
    z.strictObject({
      sequence,
      cursor,
      event: z.union([
        z.strictObject({ statusUpdate: z.record(z.string(), z.unknown()) }),
        z.strictObject({ artifactUpdate: z.record(z.string(), z.unknown()) }),
      ]),
    }),
  ),
  next: z.union([z.literal(''), cursor]),
  complete: z.boolean(),
  floor: z.strictObject({ sequence, head: digest }).optional(),
});
const cancel = z.strictObject({ requested_at: instant });
const errorInfo = z.object({
  '@type': z.literal('type.googleapis.com/google.rpc.ErrorInfo'),
  reason: z.string(),
  domain: z.literal('a2a-protocol.org'),
  metadata: z
    .object({ oabReason: z.string(), retryAfterMs: z.string().regex(/^\d+$/).optional() })
    .optional(),
});
const tokenHeader = z.strictObject({
  alg: z.literal('EdDSA'),
  typ: z.enum(['oab-agent+jwt', 'oab-relay+jwt']),
  kid: z.string().min(1).max(128),
});
const tokenClaims = z.object({
  iss: peer,
  sub: peer,
  aud: z.string(),
  iat: seconds,
  exp: seconds,
  jti: z.string().min(1).max(256),
  cap: z.array(z.string().max(64)).max(32).optional(),
  req: digest.optional(),
});

/** By the name of the file, `NAME.schema.json`. */
export const wireSchemas = {
  request: requestSchema,
  event,
  events: page,
  cancel,
  result: envelopeSchema,
  owner: peer,
  'card-params': cardParamsSchema,
  'error-info': errorInfo,
  'token-header': tokenHeader,
  'token-claims': tokenClaims,
} as const;

/** JSON Schema, draft 2020-12; what a pattern cannot say (byte lengths, uniqueness) is said by docs/profile.md. */
export function publishedSchema(name: keyof typeof wireSchemas): Record<string, unknown> {
  return {
    $id: `https://openabdev.github.io/openab/a2a/delegation/v1/schemas/${name}.schema.json`,
    ...z.toJSONSchema(wireSchemas[name], {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        // The digests of a result are checked by a function, which JSON Schema cannot hold.
        if (zodSchema._zod.def.type === 'custom')
          Object.assign(jsonSchema, { type: 'string', pattern: DIGEST });
      },
    }),
  };
}
