/** What the custom OAB protocol takes, as checked by its server and published in docs/schemas/oab/. */
import { z } from 'zod';
import { CANCEL_STREAM, CREDIT, MAX_CREDITS } from './names.js';

export const idSchema = z.union([
  z.string().regex(/^[\x21-\x7e]{1,64}$/),
  z.number().int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
]);
export type Id = z.infer<typeof idSchema>;

const taskId = z.string().min(1).max(256);
const MAX_TOKEN = 8192;

export const requestFrame = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: idSchema,
  method: z.string().max(64),
  params: z.record(z.string(), z.unknown()).optional(),
  token: z.string().min(1).max(MAX_TOKEN).optional(),
});

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

/** The params of each verb. */
export const verbParams = {
  describe: z.strictObject({}),
  // What is in a request is read by the profile, with its own refusals.
  create: z.strictObject({ request: z.unknown() }),
  get: z.strictObject({ task_id: taskId }),
  events: z.strictObject({ task_id: taskId, cursor: z.string().min(1).max(257) }),
  cancel: z.strictObject({ task_id: taskId }),
} as const;
