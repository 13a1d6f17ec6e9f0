/** Every refusal that a wire may carry, with its codes and its one fixed sentence (profile section 7). */
import type { StrictJsonFault } from './strict-json.js';

/** How A2A names an error; the codes are those of A2A 1.0 for JSON-RPC and HTTP. */
interface Kind {
  jsonrpc: number;
  http: number;
  /** `reason` of google.rpc.ErrorInfo, domain a2a-protocol.org. */
  a2a: string;
}

const PARAMS: Kind = { jsonrpc: -32602, http: 400, a2a: 'INVALID_PARAMS' };
const BUSY: Kind = { jsonrpc: -32603, http: 503, a2a: 'INTERNAL_ERROR' };

interface Entry extends Kind {
  message: string;
  /** One of ours: carried as `metadata.oabReason`. */
  oab: boolean;
}

const oab = (kind: Kind, message: string): Entry => ({ ...kind, message, oab: true });
const core = (jsonrpc: number, http: number, a2a: string, message: string): Entry => ({
  jsonrpc,
  http,
  a2a,
  message,
  oab: false,
});

const catalogue = {
  NOT_NEGOTIATED: oab(
    { jsonrpc: -32008, http: 400, a2a: 'EXTENSION_SUPPORT_REQUIRED' },
    'The OAB Delegation Profile is required and was not requested.',
  ),
  MALFORMED: oab(PARAMS, 'The request is not well formed.'),
  UNKNOWN_MEMBER: oab(PARAMS, 'The request has a member that the profile does not know.'),
  WRONG_TARGET: oab(PARAMS, 'The request names another target peer.'),
  TOKEN_MISMATCH: oab(PARAMS, 'The token is not bound to this request.'),
  CONFLICT: oab(PARAMS, 'The request id is taken by another request.'),
  NONCE_REUSED: oab(PARAMS, 'The nonce was used by another request.'),
  STALE: oab(PARAMS, 'The request was issued too long ago.'),
  NOT_YET_VALID: oab(PARAMS, 'The request is issued in the future.'),
  CURSOR_INVALID: oab(PARAMS, 'The cursor was not issued for this task.'),
  EXPIRED_AT_ADMISSION: oab(PARAMS, 'The deadline had passed when the request arrived.'),
  DEPTH_EXCEEDED: oab(PARAMS, 'A delegated task may not be delegated again.'),
  CAPABILITY_UNKNOWN: oab(PARAMS, 'A requested capability is not defined.'),
  CAPABILITY_WIDENED: oab(PARAMS, 'The request asks for more than the caller was granted.'),
  AUTHORITY_EMPTY: oab(PARAMS, 'Nothing of what was requested is allowed.'),
  BUDGET_EXCEEDS_LIMIT: oab(PARAMS, 'The deadline or budget is above the published limit.'),
  SATURATED: oab(BUSY, 'The executor is at its limit; the same request may be sent again.'),
  DRAINING: oab(BUSY, 'The executor is going down; the same request may be sent again.'),
  STORE_UNAVAILABLE: oab(
    BUSY,
    'The executor cannot record anything now; the same request may be sent again.',
  ),
  UNAUTHENTICATED: oab({ jsonrpc: -32603, http: 401, a2a: 'UNAUTHENTICATED' }, 'Authentication is required.'),
  TASK_NOT_FOUND: core(-32001, 404, 'TASK_NOT_FOUND', 'Task not found'),
  TASK_NOT_CANCELABLE: core(-32002, 400, 'TASK_NOT_CANCELABLE', 'Task cannot be canceled'),
  PUSH_NOTIFICATION_NOT_SUPPORTED: core(
    -32003,
    400,
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'Push Notification is not supported',
  ),
  UNSUPPORTED_OPERATION: core(-32004, 400, 'UNSUPPORTED_OPERATION', 'This operation is not supported'),
  CONTENT_TYPE_NOT_SUPPORTED: core(-32005, 400, 'CONTENT_TYPE_NOT_SUPPORTED', 'Incompatible content types'),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: core(
    -32007,
    400,
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    'Extended Agent Card not configured',
  ),
  VERSION_NOT_SUPPORTED: core(-32009, 400, 'VERSION_NOT_SUPPORTED', 'Version not supported'),
} as const satisfies Record<string, Entry>;

export type Reason = keyof typeof catalogue;

/** The policy refusals that become a durable rejected task (D-7). */
export const REJECTIONS = [
  'EXPIRED_AT_ADMISSION',
  'DEPTH_EXCEEDED',
  'CAPABILITY_UNKNOWN',
  'CAPABILITY_WIDENED',
  'AUTHORITY_EMPTY',
  'BUDGET_EXCEEDS_LIMIT',
] as const satisfies readonly Reason[];
export type Rejection = (typeof REJECTIONS)[number];

const DEFAULT_RETRY_MS = 1000;

/** What is wrong with bytes that are no request yet: words and figures of ours alone, so that the caller may be told. */
export type Violation =
  | StrictJsonFault
  | 'no object'
  | 'a content type that is no JSON'
  | 'a content coding: nothing is unpacked here'
  | `a body above ${number} bytes`;

/**
 * A refusal with a fixed sentence: nothing that a caller or an exception wrote can ride in it.
 * `detail` is for the audit and the log only.
 */
export class ProfileError extends Error {
  override name = 'ProfileError';
  readonly jsonrpc: number;
  readonly http: number;
  readonly a2aReason: string;
  /** Present for a reason of the profile, absent for a core A2A error. */
  readonly oabReason: Reason | undefined;
  /** Present for SATURATED, DRAINING, STORE_UNAVAILABLE: the same bytes may be sent again after this time. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly reason: Reason,
    readonly detail?: string,
    retryAfterMs?: number,
    violation?: Violation,
  ) {
    const entry = catalogue[reason];
    super(violation === undefined ? entry.message : `${entry.message.replace(/\.$/, '')}: ${violation}.`);
    this.jsonrpc = entry.jsonrpc;
    this.http = entry.http;
    this.a2aReason = entry.a2a;
    this.oabReason = entry.oab ? reason : undefined;
    this.retryAfterMs = entry.http === 503 ? (retryAfterMs ?? DEFAULT_RETRY_MS) : undefined;
  }

  /** Of bytes that are no request: its sentence names what is wrong with them, or the limit and its value. */
  static violating(reason: 'MALFORMED' | 'CONTENT_TYPE_NOT_SUPPORTED', violation: Violation): ProfileError {
    return new ProfileError(reason, violation, undefined, violation);
  }

  /** `metadata` of google.rpc.ErrorInfo: strings only. */
  get metadata(): Record<string, string> | undefined {
    if (this.oabReason === undefined) return undefined;
    return {
      oabReason: this.oabReason,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: String(this.retryAfterMs) }),
    };
  }
}

/** The fixed sentences of a result's `error`; an agent's or exception's text never gets there. */
const resultErrors = {
  READ_ONLY_VIOLATED: 'The agent did something that was not granted.',
  BUDGET_EXHAUSTED: 'A budget of the request was used up.',
  REFUSED: 'The agent refused the task.',
  AGENT_STOPPED: 'The agent stopped without being asked to.',
  WORKER_LOST: 'The agent was lost before it finished.',
  EXECUTOR_RESTARTED: 'The executor restarted before the task was started.',
  STORE_LOST: 'The executor could not record the work and stopped it.',
  DEADLINE_EXCEEDED: 'The deadline passed.',
  EFFECT_UNKNOWN: 'Whether an external effect happened cannot be proven.',
  AGENT_UNAVAILABLE: 'The agent did not start.',
  AGENT_INCOMPATIBLE: 'The agent speaks another protocol version.',
  AGENT_LOGIN: 'The agent needs a login.',
  AGENT_PROTOCOL: 'The agent broke its protocol.',
  INPUT_NEEDED: 'The agent needs input that delegation does not give.',
} as const;
export type ResultErrorCode = keyof typeof resultErrors | Rejection;

export function resultError(code: ResultErrorCode): { code: string; message: string } {
  const message =
    code in resultErrors
      ? resultErrors[code as keyof typeof resultErrors]
      : catalogue[code as Rejection].message;
  return { code, message };
}
