/** Every verb and frame of the custom OAB protocol as it is published in docs/schemas/oab/ (docs/bindings/oab.md). */
import { z } from 'zod';
import { envelopeSchema } from '../../profile/envelope.js';
import { isTaskState } from '../../profile/lifecycle.js';
import { requestSchema } from '../../profile/request.js';
import { wireSchemas } from '../../profile/wire-schemas.js';
import { cancelStreamFrame, creditFrame, idSchema, streamEndFrame } from '../websocket/shapes.js';
import { requestFrame, verbParams } from './shapes.js';

const { turn_id, sequence, cursor } = wireSchemas.event.shape;
const head = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const name = z.string().min(1).max(256);
const part = z.record(z.string(), z.unknown());
const status = z.object({
  state: z
    .string()
    .regex(/^TASK_STATE_[A-Z_]+$/)
    .refine(isTaskState),
  timestamp: instant,
  message: z.record(z.string(), z.unknown()).optional(),
});
const granted = {
  effective_capabilities: z.array(z.string().max(64)).max(32),
  deadline_at: instant,
};

const task = z.strictObject({
  task_id: name,
  context_id: name,
  turn_id,
  status,
  artifacts: z
    .array(
      z.strictObject({
        artifactId: name,
        name: z.string().optional(),
        description: z.string().optional(),
        parts: z.array(part),
        owner: wireSchemas.owner,
      }),
    )
    .max(64),
  sequence,
  cursor,
  head,
  ...granted,
  cancel_requested_at: instant.optional(),
  result: envelopeSchema.optional(),
});

const event = z.union([
  z.strictObject({ statusUpdate: z.object({ taskId: name, contextId: name, status }) }),
  z.strictObject({
    artifactUpdate: z.object({
      taskId: name,
      contextId: name,
      artifact: z.object({ artifactId: name, parts: z.array(part) }),
      append: z.boolean().optional(),
      lastChunk: z.boolean().optional(),
    }),
  }),
]);
const item = z.union([
  z.strictObject({
    turn_id,
    sequence,
    cursor,
    event,
    owner: wireSchemas.owner.optional(),
    effective_capabilities: granted.effective_capabilities.optional(),
    deadline_at: instant.optional(),
    cancel_requested_at: instant.optional(),
    result: envelopeSchema.optional(),
  }),
  z.strictObject({ floor: z.strictObject({ sequence, head }) }),
]);

const cardParams = wireSchemas['card-params'].shape;
const description = z.strictObject({
  protocol_version: z.literal(1),
  peer: wireSchemas.owner,
  version: z.string(),
  params: z.object({
    ...cardParams,
    cursor: z.strictObject({ retentionSeconds: cardParams.cursor.shape.retentionSeconds }),
  }),
});

const jsonrpc = z.literal('2.0');
const errorFrame = z.strictObject({
  jsonrpc,
  id: idSchema.nullable(),
  error: z.strictObject({
    code: z.number().int(),
    message: z.string(),
    data: z.strictObject({
      reason: z.string().regex(/^[A-Z_]{1,64}$/),
      retry_after_ms: z.number().min(0).optional(),
    }),
  }),
});
/** By the name of the file, `NAME.schema.json`: a verb's params and its result, or a frame. */
export const oabSchemas = {
  'describe.params': verbParams.describe,
  'describe.result': description,
  'create.params': z.strictObject({ request: requestSchema }),
  'create.result': task,
  'get.params': verbParams.get,
  'get.result': task,
  'events.params': verbParams.events,
  'events.item': item,
  'cancel.params': verbParams.cancel,
  'cancel.result': task,
  'frame.request': requestFrame,
  'frame.answer': z.union([z.strictObject({ jsonrpc, id: idSchema, result: z.unknown() }), errorFrame]),
  'frame.stream-end': streamEndFrame,
  'frame.credit': creditFrame,
  'frame.cancel-stream': cancelStreamFrame,
} as const;

/** JSON Schema, draft 2020-12; what a pattern cannot say is said by docs/bindings/oab.md. */
export function publishedOabSchema(schema: keyof typeof oabSchemas): Record<string, unknown> {
  return {
    ...z.toJSONSchema(oabSchemas[schema], {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        // The digests of a result are checked by a function, which JSON Schema cannot hold.
        if (zodSchema._zod.def.type === 'custom')
          Object.assign(jsonSchema, { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' });
      },
    }),
  };
}
