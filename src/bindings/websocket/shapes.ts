/** The shapes that all protocols in WebSocket text frames share, as checked by their servers and published as schemas. */
import { z } from 'zod';
import { CANCEL_STREAM, CREDIT, MAX_CREDITS, STREAM_END } from './names.js';

export const idSchema = z.union([
  z.string().regex(/^[\x21-\x7e]{1,64}$/),
  z.number().int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
]);
export type Id = z.infer<typeof idSchema>;

export const MAX_TOKEN = 8192;

export const creditFrame = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.literal(CREDIT),
  params: z.strictObject({ id: idSchema, events: z.number().int().min(1).max(MAX_CREDITS) }),
});

export const cancelStreamFrame = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.literal(CANCEL_STREAM),
  params: z.strictObject({ id: idSchema }),
});

export const streamEndFrame = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.literal(STREAM_END),
  params: z.strictObject({ id: idSchema, reason: z.enum(['complete', 'cancelled', 'interrupted']) }),
});
export type StreamEndReason = z.infer<typeof streamEndFrame>['params']['reason'];
