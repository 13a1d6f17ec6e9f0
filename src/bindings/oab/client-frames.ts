/** What a server of the OAB protocol may send, read strictly: anything else is no answer of the peer's. */
import { z } from 'zod';
import { PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import { parseStrict, StrictJsonError } from '../../profile/strict-json.js';
import { STREAM_END } from './names.js';
import { type Id, idSchema } from './shapes.js';

export type StreamEndReason = 'complete' | 'cancelled' | 'interrupted';

export type ServerFrame =
  | { kind: 'result'; id: Id; result: unknown }
  /** Without an id: a frame of ours could not even be read. */
  | { kind: 'refusal'; id: Id | null; refusal: PeerRefusal }
  | { kind: 'end'; id: Id; reason: StreamEndReason };

const TRANSIENT = new Set(['SATURATED', 'DRAINING', 'STORE_UNAVAILABLE']);

const version = z.literal('2.0');
const resultFrame = z.strictObject({ jsonrpc: version, id: idSchema, result: z.unknown() });
const errorFrame = z.strictObject({
  jsonrpc: version,
  id: idSchema.nullable(),
  error: z.looseObject({
    code: z.number().int(),
    data: z.looseObject({
      reason: z.string().regex(/^[A-Z_]{1,64}$/),
      retry_after_ms: z.number().min(0).optional(),
    }),
  }),
});
const endFrame = z.strictObject({
  jsonrpc: version,
  method: z.literal(STREAM_END),
  params: z.strictObject({ id: idSchema, reason: z.enum(['complete', 'cancelled', 'interrupted']) }),
});

/** Throws PeerUnreachable. */
export function readServerFrame(text: string): ServerFrame {
  const value = json(text);
  const members = typeof value === 'object' && value !== null ? value : {};
  if ('method' in members) {
    const { params } = read(endFrame, value);
    return { kind: 'end', ...params };
  }
  if (!('error' in members)) {
    const { id, result } = read(resultFrame, value);
    return { kind: 'result', id, result };
  }
  const { id, error } = read(errorFrame, value);
  const { reason, retry_after_ms } = error.data;
  return {
    kind: 'refusal',
    id,
    refusal: new PeerRefusal(reason, error.code, TRANSIENT.has(reason), retry_after_ms),
  };
}

function json(text: string): unknown {
  try {
    return parseStrict(text);
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new PeerUnreachable(`a frame that is refused as JSON: ${error.message}`);
    throw error;
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PeerUnreachable(`a frame that no server sends: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}
