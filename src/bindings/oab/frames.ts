/** Frames of the custom OAB protocol: read from text, and written as text. */
import type { z } from 'zod';
import { ProfileError, type Reason } from '../../profile/errors.js';
import { parseStrict, StrictJsonError } from '../../profile/strict-json.js';
import { CANCEL_STREAM, CREDIT, STREAM_END, VERBS, type Verb } from './names.js';
import { cancelStreamFrame, creditFrame, type Id, idSchema, requestFrame } from './shapes.js';

/** A fault of the framing, before any verb. */
export class FrameFault extends Error {
  override name = 'FrameFault';
  constructor(
    readonly code: -32700 | -32600 | -32601,
    readonly reason: 'PARSE_ERROR' | 'INVALID_REQUEST' | 'METHOD_NOT_FOUND',
    message: string,
  ) {
    super(message);
  }
}

export interface VerbRequest {
  id: Id;
  verb: Verb;
  params: Record<string, unknown>;
  token: string | undefined;
}

export type Frame =
  | { kind: 'request'; request: VerbRequest }
  | { kind: 'credit'; id: Id; events: number }
  | { kind: 'cancelStream'; id: Id }
  /** `token`, where it could be read, so that nobody without one learns what is wrong with the rest. */
  | { kind: 'fault'; id: Id | null; token: string | undefined; fault: FrameFault | ProfileError };

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

const invalid = () => new FrameFault(-32600, 'INVALID_REQUEST', 'The frame is no request.');

export function readFrame(text: string): Frame {
  const no = (
    fault: FrameFault | ProfileError,
    id: Id | null = null,
    token: string | undefined = undefined,
  ): Frame => ({ kind: 'fault', id, token, fault });
  let value: unknown;
  try {
    value = parseStrict(text);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return no(new FrameFault(-32700, 'PARSE_ERROR', 'The frame is no strict JSON.'));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return no(invalid());
  const raw = value as Record<string, unknown>;
  if (raw.method === CREDIT && !('id' in raw)) {
    const credit = creditFrame.safeParse(raw);
    return credit.success ? { kind: 'credit', ...credit.data.params } : no(invalid());
  }
  if (raw.method === CANCEL_STREAM && !('id' in raw)) {
    const cancel = cancelStreamFrame.safeParse(raw);
    return cancel.success ? { kind: 'cancelStream', ...cancel.data.params } : no(invalid());
  }
  const id = idSchema.safeParse(raw.id).data ?? null;
  const token = typeof raw.token === 'string' ? raw.token : undefined;
  const frame = requestFrame.safeParse(raw);
  if (!frame.success) {
    const strange = isUnknownMember(frame.error) && id !== null;
    return no(strange ? new ProfileError('UNKNOWN_MEMBER') : invalid(), id, token);
  }
  const { method, params = {} } = frame.data;
  if (!isVerb(method)) {
    const fault = new FrameFault(-32601, 'METHOD_NOT_FOUND', 'There is no such verb.');
    return no(fault, frame.data.id, frame.data.token);
  }
  return { kind: 'request', request: { id: frame.data.id, verb: method, params, token: frame.data.token } };
}

export function isUnknownMember(error: z.ZodError): boolean {
  return error.issues.some(({ code }) => code === 'unrecognized_keys');
}

function isVerb(method: string): method is Verb {
  return (VERBS as readonly string[]).includes(method);
}

export function resultText(id: Id, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** The beginning of an item whose JSON text and a closing brace follow. */
export function itemHead(id: Id): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
}

export function streamEndText(id: Id, reason: 'complete' | 'cancelled' | 'interrupted'): string {
  return JSON.stringify({ jsonrpc: '2.0', method: STREAM_END, params: { id, reason } });
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
