/** The answers of a server of the OAB protocol. */
import { z } from 'zod';
import { PeerRefusal } from '../../coordinator/connection.js';
import { readShape, serverFrames } from '../websocket/client-frames.js';
import { idSchema } from '../websocket/shapes.js';

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

export const readOabFrame = serverFrames((members) => {
  if (!('error' in members)) {
    const { id, result } = readShape(resultFrame, members);
    return { kind: 'result', id, result };
  }
  const { id, error } = readShape(errorFrame, members);
  const { reason, retry_after_ms } = error.data;
  return {
    kind: 'refusal',
    id,
    refusal: new PeerRefusal(reason, error.code, TRANSIENT.has(reason), retry_after_ms),
  };
});
