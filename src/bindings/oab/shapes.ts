/** What the custom OAB protocol takes, as checked by its server and published in docs/schemas/oab/. */
import { z } from 'zod';
import { idSchema, MAX_TOKEN } from '../websocket/shapes.js';

const taskId = z.string().min(1).max(256);

export const requestFrame = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: idSchema,
  method: z.string().max(64),
  params: z.record(z.string(), z.unknown()).optional(),
  token: z.string().min(1).max(MAX_TOKEN).optional(),
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
