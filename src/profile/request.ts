/** The delegation request: its schema and its digest (profile section 3, D-1 to D-4). */
import { z } from 'zod';
import { jcsOfOrdered, sha256 } from './canonical.js';
import { ProfileError } from './errors.js';
import type { DelegationRequest, Digest } from './model.js';
import { isPeerId } from './peer-id.js';

const visibleAscii = (least: number, most: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{${least},${most}}$`));

/** RFC 3339, UTC, exactly three fraction digits: one instant has one spelling. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((text) => new Date(text).toJSON() === text);

const positive = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** More than any version of the profile defines; keeps a refused request small. */
const MAX_CAPABILITIES = 32;
const MAX_PATH_BYTES = 1024;

export const requestSchema = z.strictObject({
  protocol_version: z.literal(1),
  request_id: visibleAscii(1, 128),
  idempotency_key: visibleAscii(1, 128).optional(),
  nonce: visibleAscii(16, 128),
  issued_at: instant,
  target_peer: z.string().refine(isPeerId),
  task: z.string().min(1),
  task_path: z
    .string()
    .regex(/^\/root(\/[^/\p{Cc}]+)*$/u)
    .refine((path) => Buffer.byteLength(path) <= MAX_PATH_BYTES)
    .optional(),
  capabilities: z
    // Any name is well formed: one that does not exist is refused by policy, CAPABILITY_UNKNOWN.
    .array(visibleAscii(1, 64))
    .min(1)
    .max(MAX_CAPABILITIES)
    .refine((list) => new Set(list).size === list.length),
  deadline_ms: positive,
  budget: z.strictObject({ max_output_bytes: positive, max_runtime_ms: positive.optional() }),
  delegation_depth: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  context_policy: z.literal('none').optional(),
});

/**
 * Checks a raw JSON value against section 3. Throws UNKNOWN_MEMBER for a member that no field of the profile could
 * be, at any depth; MALFORMED for everything else that is wrong; WRONG_TARGET for another executor's request.
 */
export function parseRequest(raw: unknown, self: { peer: string; maxTaskBytes: number }): DelegationRequest {
  const parsed = requestSchema.safeParse(raw);
  if (!parsed.success) {
    const unknown = parsed.error.issues.find(({ code }) => code === 'unrecognized_keys');
    const issue = unknown ?? parsed.error.issues[0];
    throw new ProfileError(unknown ? 'UNKNOWN_MEMBER' : 'MALFORMED', issue?.path.join('.'));
  }
  const request = parsed.data as DelegationRequest;
  if (request.idempotency_key !== undefined && request.idempotency_key !== request.request_id) {
    throw new ProfileError('MALFORMED', 'idempotency_key');
  }
  if (Buffer.byteLength(request.task) > self.maxTaskBytes) throw new ProfileError('MALFORMED', 'task');
  if (request.target_peer !== self.peer) throw new ProfileError('WRONG_TARGET', 'target_peer');
  return request;
}

type Transient = 'nonce' | 'issued_at' | 'idempotency_key' | 'task_path';
/** Written member by member in JCS order; one that is undefined is not written. No member can be left out. */
type Ordered<T> = {
  [Key in keyof Required<T>]: T[Key] extends object ? Ordered<T[Key]> : T[Key] | undefined;
};

/** Of what identifies a request: retries differ in the rest, and still are the same request (D-1). */
export function requestDigest(request: DelegationRequest): Digest {
  const identity: Ordered<Omit<DelegationRequest, Transient>> = {
    budget: budgetOf(request),
    // UTF-16 code units, as JCS sorts member names: the default order of Array.prototype.sort.
    capabilities: [...request.capabilities].sort(),
    context_policy: 'none',
    deadline_ms: request.deadline_ms,
    delegation_depth: request.delegation_depth,
    protocol_version: request.protocol_version,
    request_id: request.request_id,
    target_peer: request.target_peer,
    task: request.task,
  };
  return sha256(jcsOfOrdered(identity));
}

/** What the journal keeps: JCS of the whole request without its nonce. */
export function storedRequest(request: DelegationRequest): string {
  const stored: Ordered<Omit<DelegationRequest, 'nonce'>> = {
    budget: budgetOf(request),
    capabilities: request.capabilities,
    context_policy: request.context_policy,
    deadline_ms: request.deadline_ms,
    delegation_depth: request.delegation_depth,
    idempotency_key: request.idempotency_key,
    issued_at: request.issued_at,
    protocol_version: request.protocol_version,
    request_id: request.request_id,
    target_peer: request.target_peer,
    task: request.task,
    task_path: request.task_path,
  };
  return jcsOfOrdered(stored);
}

function budgetOf({ budget }: DelegationRequest): Ordered<DelegationRequest['budget']> {
  return { max_output_bytes: budget.max_output_bytes, max_runtime_ms: budget.max_runtime_ms };
}
