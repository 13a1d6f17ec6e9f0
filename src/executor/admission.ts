/** Admission (profile section 3): every step fails closed, one transaction decides, nothing runs before it. */
import type { Admission, Admitted, TaskRow } from '../journal/journal.js';
import { firstHead } from '../profile/chain.js';
import { ProfileError, type Rejection } from '../profile/errors.js';
import type { DelegationRequest, Digest } from '../profile/model.js';
import { requestDigest, storedRequest } from '../profile/request.js';
import type { Capacity } from './capacity.js';
import type { ExecutorConfig } from './config.js';
import type { DecisionAudit } from './decision-audit.js';
import { statusDraft, withResult } from './drafts.js';
import type { ExecutorParts } from './parts.js';
import { buildEnvelope, headAfterBodies } from './result.js';
import type { Caller } from './service.js';

export type Accepted =
  | { kind: 'started'; row: TaskRow; release: () => void }
  | { kind: 'duplicate' | 'rejected'; row: TaskRow };

/** The last one that RFC 3339 can write; only a refused request can ask for more. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

export interface AdmissionContext {
  config: ExecutorConfig;
  parts: ExecutorParts;
  capacity: Capacity;
  audit: DecisionAudit;
  draining(): boolean;
  /** Admissions on their way to the disk, by caller and request. */
  underWay: Map<string, Promise<unknown>>;
}

/** Deny by default: policy B is about the callers in the configuration, and there are no others (O-95). */
export function isConfigured(config: ExecutorConfig, caller: Caller): boolean {
  return config.peers.some(({ peer }) => peer === caller.peer);
}

export async function admit(
  context: AdmissionContext,
  caller: Caller,
  request: DelegationRequest,
): Promise<Accepted> {
  if (!isConfigured(context.config, caller)) throw new ProfileError('UNAUTHENTICATED');
  const digest = requestDigest(request);
  try {
    return await decide(context, caller, request, digest);
  } catch (error) {
    if (error instanceof ProfileError) {
      await auditRefusal(context, caller, request, digest, error);
    }
    throw error;
  }
}

async function decide(
  context: AdmissionContext,
  caller: Caller,
  request: DelegationRequest,
  digest: Digest,
): Promise<Accepted> {
  const { parts, config } = context;
  // Nobody who merely sees a token can make a task with it (section 1).
  if (caller.via === 'token' && caller.req !== digest) throw new ProfileError('TOKEN_MISMATCH');
  const reserved = () => parts.journal.reserved(caller.peer, request.request_id, digest, request.nonce);
  const now = parts.clock.now();
  const untimely = timeliness(request, now, config);
  // Without a usable signing key no result could be signed, not even a refusal (section 1, Keys).
  const draining = context.draining();
  const { refused, effective } = authorise(config, parts, caller, request, now);
  const inTheWay = untimely !== undefined || draining || refused !== undefined;
  if (inTheWay || context.capacity.scarce(caller.peer)) {
    // A reservation comes before all of these; where none of them stands in the way the transaction itself finds it.
    const known = reserved();
    if (known !== undefined) return answered(context, caller, request, known);
    if (untimely !== undefined) throw new ProfileError(untimely);
    if (draining) throw new ProfileError('DRAINING');
    if (refused !== undefined) return reject(context, caller, request, digest, refused, now);
  }

  const key = `${caller.peer} ${request.request_id}`;
  const release = context.capacity.take(caller.peer);
  if (release === undefined) {
    // The slot may be held by this very request, sent more than once: then it needs none of its own.
    await context.underWay.get(key)?.catch(() => {});
    const meanwhile = reserved();
    if (meanwhile !== undefined) return answered(context, caller, request, meanwhile);
    throw new ProfileError('SATURATED');
  }
  try {
    const admitting = parts.journal.admit(
      admissionOf(config, parts, caller, request, digest, effective, now),
    );
    context.underWay.set(key, admitting);
    const admitted = await admitting.finally(() => context.underWay.delete(key));
    if (admitted.kind === 'admitted') return { kind: 'started', row: admitted.task, release };
    release();
    return await answered(context, caller, request, admitted);
  } catch (error) {
    release();
    throw error;
  }
}

/** The answer where a reservation exists, whether the fast path or the transaction found it. */
async function answered(
  { parts, audit }: AdmissionContext,
  caller: Caller,
  request: DelegationRequest,
  known: Admitted,
): Promise<Accepted> {
  switch (known.kind) {
    case 'conflict':
      throw new ProfileError('CONFLICT');
    case 'nonce_reused':
      throw new ProfileError('NONCE_REUSED');
    case 'duplicate':
      await audit.record({
        kind: 'duplicate',
        at: parts.clock.now(),
        peer: caller.peer,
        taskId: known.task.taskId,
        detail: { request_id: request.request_id, ...tokenOf(caller) },
      });
      return { kind: 'duplicate', row: known.task };
    default:
      throw new Error(`a reservation cannot be ${known.kind}`);
  }
}

function timeliness(
  request: DelegationRequest,
  now: number,
  config: ExecutorConfig,
): 'STALE' | 'NOT_YET_VALID' | undefined {
  const issued = Date.parse(request.issued_at);
  const skew = config.limits.clockSkewMs;
  if (issued < now - (config.windowMs - skew)) return 'STALE';
  return issued > now + skew ? 'NOT_YET_VALID' : undefined;
}

function authorise(
  config: ExecutorConfig,
  parts: ExecutorParts,
  caller: Caller,
  request: DelegationRequest,
  now: number,
): { refused?: Rejection; effective: string[] } {
  const refuse = (refused: Rejection) => ({ refused, effective: [] });
  const { limits } = config;
  if (now > Date.parse(request.issued_at) + request.deadline_ms + limits.clockSkewMs)
    return refuse('EXPIRED_AT_ADMISSION');
  if (request.delegation_depth >= 1) return refuse('DEPTH_EXCEEDED');
  const policyB = config.peers.find(({ peer }) => peer === caller.peer)?.capabilities ?? [];
  const authority = parts.authority(request.capabilities, caller.cap, policyB, config.capabilities);
  if ('refused' in authority) return refuse(authority.refused);
  const { max_output_bytes, max_runtime_ms = 1 } = request.budget;
  const beyond =
    request.deadline_ms > limits.deadlineMs ||
    max_output_bytes > limits.outputBytes ||
    max_runtime_ms > limits.deadlineMs;
  return beyond ? refuse('BUDGET_EXCEEDS_LIMIT') : { effective: authority.effective };
}

function admissionOf(
  config: ExecutorConfig,
  parts: ExecutorParts,
  caller: Caller,
  request: DelegationRequest,
  digest: Digest,
  effective: string[],
  now: number,
): Admission {
  const ids = { taskId: parts.mint('task'), contextId: parts.mint('context') };
  return {
    task: {
      ...ids,
      turnId: parts.mint('turn'),
      caller: caller.peer,
      requestId: request.request_id,
      requestDigest: digest,
      request: storedRequest(request),
      effective,
      acceptedAt: now,
      // Fixed by the first acceptance; a retry never extends it (D-3).
      deadlineAt: Math.min(LAST_INSTANT, now + request.deadline_ms),
    },
    nonce: request.nonce,
    events: [statusDraft(ids, 'TASK_STATE_SUBMITTED', now)],
    audit: {
      kind: 'admitted',
      at: now,
      peer: caller.peer,
      taskId: ids.taskId,
      detail: {
        executor: config.peer,
        request_id: request.request_id,
        request_digest: digest,
        effective,
        ...tokenOf(caller),
      },
    },
  };
}

/** A policy refusal is durable and signed: SUBMITTED, then REJECTED with its result (D-7). */
async function reject(
  context: AdmissionContext,
  caller: Caller,
  request: DelegationRequest,
  digest: Digest,
  reason: Rejection,
  now: number,
): Promise<Accepted> {
  const { config, parts } = context;
  const admission = admissionOf(config, parts, caller, request, digest, [], now);
  const { task } = admission;
  const [submitted] = admission.events;
  const rejected = statusDraft(task, 'TASK_STATE_REJECTED', now);
  const start = { sequence: 0, head: firstHead(task.taskId, digest) };
  const end = headAfterBodies(start, [submitted?.body ?? '', rejected.body]);
  const ending = {
    outcome: 'rejected',
    error: reason,
    summary: '',
    artifacts: [],
    sideEffects: [],
    signedAt: now,
  } as const;
  const envelope = parts.sign(buildEnvelope(config.peer, task, ending, end), parts.keys.active());
  const admitted = await parts.journal.admit({
    ...admission,
    task: { ...task, outcome: 'rejected', terminalAt: now },
    events: [...admission.events, withResult(rejected, envelope)],
    audit: { ...admission.audit, kind: 'rejected', detail: { ...admission.audit.detail, reason } },
    rejectedQuota: config.limits.rejected,
  });
  if (admitted.kind === 'admitted') return { kind: 'rejected', row: admitted.task };
  // Beyond the quota the same reason is an error and leaves no task (section 3).
  if (admitted.kind === 'quota') throw new ProfileError(reason);
  return answered(context, caller, request, admitted);
}

async function auditRefusal(
  { audit, parts: { clock, log } }: AdmissionContext,
  caller: Caller,
  request: DelegationRequest,
  digest: Digest,
  { reason }: ProfileError,
): Promise<void> {
  try {
    await audit.record({
      kind: 'refused',
      at: clock.now(),
      peer: caller.peer,
      detail: { reason, request_id: request.request_id, request_digest: digest, ...tokenOf(caller) },
    });
  } catch (error) {
    log.error({ err: error, reason }, 'a refusal was not audited');
  }
}

function tokenOf({ jti, via }: Caller): Record<string, unknown> {
  return jti === undefined ? { via } : { via, jti };
}
