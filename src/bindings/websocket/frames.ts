/** Frames as a server reads and writes them, as far as that is the same in all protocols. */
import type { z } from 'zod';
import type { ProfileError } from '../../profile/errors.js';
import { parseStrict, type StrictJsonError } from '../../profile/strict-json.js';
import { CANCEL_STREAM, CREDIT, STREAM_END } from './names.js';
import { cancelStreamFrame, creditFrame, type Id, type StreamEndReason } from './shapes.js';

/** A fault of the framing, before any method. */
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

export interface Fault {
  kind: 'fault';
  id: Id | null;
  /** Where it could be read, so that nobody without one learns what is wrong with the rest. */
  token: string | undefined;
  fault: FrameFault | ProfileError;
  /** Of a request that has to authenticate, and is then answered before its rate is looked at. */
  first?: boolean;
}

export type Control =
  | { kind: 'credit'; id: Id; events: number }
  | { kind: 'cancelStream'; id: Id }
  | Omit<Fault, 'token'>;

export const invalidFrame = () => new FrameFault(-32600, 'INVALID_REQUEST', 'The frame is no request.');

/** The object in a frame; throws StrictJsonError, or FrameFault for what is none. */
export function readObject(text: string): Record<string, unknown> {
  const value = parseStrict(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidFrame();
  return value as Record<string, unknown>;
}

export const notStrictJson = ({ message }: StrictJsonError) =>
  new FrameFault(-32700, 'PARSE_ERROR', `The frame is no strict JSON: ${message}.`);

/** undefined: no control frame. */
export function readControl(raw: Record<string, unknown>): Control | undefined {
  if ('id' in raw) return undefined;
  const no: Control = { kind: 'fault', id: null, fault: invalidFrame() };
  if (raw.method === CREDIT) {
    const credit = creditFrame.safeParse(raw);
    return credit.success ? { kind: 'credit', ...credit.data.params } : no;
  }
  if (raw.method === CANCEL_STREAM) {
    const cancel = cancelStreamFrame.safeParse(raw);
    return cancel.success ? { kind: 'cancelStream', ...cancel.data.params } : no;
  }
  return undefined;
}

export function isUnknownMember(error: z.ZodError): boolean {
  return error.issues.some(({ code }) => code === 'unrecognized_keys');
}

/** The beginning of an item whose JSON text and a closing brace follow. */
export function itemHead(id: Id): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
}

export function streamEndText(id: Id, reason: StreamEndReason): string {
  return JSON.stringify({ jsonrpc: '2.0', method: STREAM_END, params: { id, reason } });
}
