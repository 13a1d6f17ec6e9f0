/** Every frame of the binding as it is published in docs/schemas/wss/; params and results are A2A's own (docs/bindings/wss.md). */
import { z } from 'zod';
import { cancelStreamFrame, creditFrame, streamEndFrame } from '../websocket/shapes.js';
import { errorFrame, requestFrame, resultFrame } from './shapes.js';

/** By the name of the file, `NAME.schema.json`. */
export const wssSchemas = {
  'frame.request': requestFrame,
  'frame.answer': z.union([resultFrame, errorFrame]),
  'frame.stream-end': streamEndFrame,
  'frame.credit': creditFrame,
  'frame.cancel-stream': cancelStreamFrame,
} as const;

/** JSON Schema, draft 2020-12; that no two service parameters have one name is said by docs/bindings/wss.md. */
export function publishedWssSchema(schema: keyof typeof wssSchemas): Record<string, unknown> {
  return { ...z.toJSONSchema(wssSchemas[schema], { io: 'input', unrepresentable: 'any' }) };
}
