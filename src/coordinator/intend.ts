/** From what a caller asks to the request, minted once and never changed; what may not be asked ends here. */
import { callerBound, intersect } from '../profile/authority.js';
import type { DelegationRequest } from '../profile/model.js';
import { CURSOR_START } from '../profile/names.js';
import { requestDigest, requestSchema } from '../profile/request.js';
import type { CoordinatorConfig } from './config.js';
import type { CoordinatorParts } from './parts.js';
import type { Delegation } from './store.js';

export interface DelegateInput {
  peer: string;
  task: string;
  capabilities: string[];
  deadlineMs: number;
  maxOutputBytes: number;
  maxRuntimeMs?: number;
  requestId?: string;
  taskPath?: string;
  /** What the calling session itself was granted; policy A where it is not narrower. */
  grants?: readonly string[];
  /** The calling session is itself a delegated one: refused, nothing is sent (O-30, O-105). */
  delegated?: boolean;
}

/** What was asked cannot be done, and nothing was sent: one line, for the user. */
export class DelegateError extends Error {
  override name = 'DelegateError';
}

/** Throws DelegateError for what may not be asked. */
export function intend(config: CoordinatorConfig, parts: CoordinatorParts, input: DelegateInput): Delegation {
  if (input.delegated === true) {
    parts.log.warn({ peer: input.peer }, 'refused to delegate for a delegated session');
    throw new DelegateError('DEPTH_EXCEEDED: a delegated session may not delegate again');
  }
  const peer = config.peers.find((one) => one.peer === input.peer);
  if (peer === undefined) throw new DelegateError(`peer ${input.peer} is not configured`);
  const grants = input.grants ?? peer.capabilities;
  const authority = callerBound(input.capabilities, grants, peer.capabilities);
  if ('refused' in authority) {
    throw new DelegateError(
      `${authority.refused}: ${authority.capability ?? 'no capability'} is not granted for ${input.peer}`,
    );
  }
  const request: DelegationRequest = {
    protocol_version: 1,
    request_id: input.requestId ?? parts.mint('request'),
    nonce: parts.mint('nonce'),
    issued_at: new Date(parts.now()).toISOString(),
    target_peer: input.peer,
    task: input.task,
    ...(input.taskPath === undefined ? {} : { task_path: input.taskPath }),
    capabilities: [...input.capabilities],
    deadline_ms: input.deadlineMs,
    budget: {
      max_output_bytes: input.maxOutputBytes,
      ...(input.maxRuntimeMs === undefined ? {} : { max_runtime_ms: input.maxRuntimeMs }),
    },
    delegation_depth: 0,
    context_policy: 'none',
  };
  const checked = requestSchema.safeParse(request);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw new DelegateError(`${issue?.path.join('.') ?? 'request'}: not what the profile allows there`);
  }
  return {
    requestId: request.request_id,
    peer: input.peer,
    request: JSON.stringify(request),
    requestDigest: digestOf(request),
    cap: intersect(grants, peer.capabilities),
    createdAt: parts.now(),
    sent: false,
    cancelWanted: false,
    cursor: CURSOR_START,
    sequence: 0,
    from: 0,
    gaps: false,
  };
}

/** A text that no JSON may carry (a lone surrogate) has no digest, and so cannot be asked. */
function digestOf(request: DelegationRequest): Delegation['requestDigest'] {
  try {
    return requestDigest(request);
  } catch {
    throw new DelegateError('task: holds characters that are no Unicode text');
  }
}
