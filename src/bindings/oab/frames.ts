/** Frames of the custom OAB protocol: read from text, and written as text. */
import { ProfileError, type Reason } from '../../profile/errors.js';
import { StrictJsonError } from '../../profile/strict-json.js';
import {
  type Control,
  type Fault,
  FrameFault,
  invalidFrame,
  isUnknownMember,
  notStrictJson,
  readControl,
  readObject,
} from '../websocket/frames.js';
import { type Id, idSchema } from '../websocket/shapes.js';
import { VERBS, type Verb } from './names.js';
import { requestFrame } from './shapes.js';

export interface VerbRequest {
  id: Id;
  verb: Verb;
  params: Record<string, unknown>;
  token: string | undefined;
}

/** The reasons of profile section 7 that this protocol has, each with its code here (docs/bindings/oab.md, Errors). */
const CODES: Partial<Record<Reason, number>> = {
  MALFORMED: -32602,
  UNKNOWN_MEMBER: -32602,
  WRONG_TARGET: -32602,
  TOKEN_MISMATCH: -32602,
  CONFLICT: -32602,
  NONCE_REUSED: -32602,
  STALE: -32602,
  NOT_YET_VALID: -32602,
  CURSOR_INVALID: -32602,
  EXPIRED_AT_ADMISSION: -32602,
  DEPTH_EXCEEDED: -32602,
  CAPABILITY_UNKNOWN: -32602,
  CAPABILITY_WIDENED: -32602,
  AUTHORITY_EMPTY: -32602,
  BUDGET_EXCEEDS_LIMIT: -32602,
  SATURATED: -32603,
  DRAINING: -32603,
  STORE_UNAVAILABLE: -32603,
  UNAUTHENTICATED: -32603,
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
};

export function readFrame(text: string): { kind: 'verb'; request: VerbRequest } | Control | Fault {
  const no = (
    fault: FrameFault | ProfileError,
    id: Id | null = null,
    token: string | undefined = undefined,
  ): Fault => ({ kind: 'fault', id, token, fault });
  let raw: Record<string, unknown>;
  try {
    raw = readObject(text);
  } catch (error) {
    if (error instanceof StrictJsonError) return no(notStrictJson(error));
    if (error instanceof FrameFault) return no(error);
    throw error;
  }
  const control = readControl(raw);
  if (control !== undefined) return control;
  const id = idSchema.safeParse(raw.id).data ?? null;
  const token = typeof raw.token === 'string' ? raw.token : undefined;
  const frame = requestFrame.safeParse(raw);
  if (!frame.success) {
    const strange = isUnknownMember(frame.error) && id !== null;
    return no(strange ? new ProfileError('UNKNOWN_MEMBER') : invalidFrame(), id, token);
  }
  const { method, params = {} } = frame.data;
  if (!isVerb(method)) {
    const fault = new FrameFault(-32601, 'METHOD_NOT_FOUND', 'There is no such verb.');
    return no(fault, frame.data.id, frame.data.token);
  }
  return { kind: 'verb', request: { id: frame.data.id, verb: method, params, token: frame.data.token } };
}

function isVerb(method: string): method is Verb {
  return (VERBS as readonly string[]).includes(method);
}

export function resultText(id: Id, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function errorText(id: Id | null, error: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: errorOf(error) });
}

/** An exception's own text stays here, and so does what only another protocol has a name for. */
function errorOf(error: unknown) {
  if (error instanceof FrameFault)
    return { code: error.code, message: error.message, data: { reason: error.reason } };
  const code = error instanceof ProfileError ? CODES[error.reason] : undefined;
  if (!(error instanceof ProfileError) || code === undefined)
    return { code: -32603, message: 'Internal error', data: { reason: 'INTERNAL' } };
  const { message, reason, retryAfterMs } = error;
  return {
    code,
    message,
    data: { reason, ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }) },
  };
}
