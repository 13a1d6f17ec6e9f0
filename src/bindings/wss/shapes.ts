/** The frames of the binding, as its server checks them and docs/schemas/wss/ publishes them. */
import { z } from 'zod';
import { idSchema } from '../websocket/shapes.js';
import { MAX_PARAMETER, MAX_PARAMETERS } from './names.js';

export const parameterValue = z.string().regex(new RegExp(`^[ -~]{0,${MAX_PARAMETER}}$`));

/** By RFC 9110's grammar of a header's name; values of visible ASCII and spaces. Names are equal whatever their case. */
export const serviceParameters = z
  .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/), parameterValue)
  .refine((parameters) => {
    const names = Object.keys(parameters).map((name) => name.toLowerCase());
    return names.length <= MAX_PARAMETERS && new Set(names).size === names.length;
  });

export const requestFrame = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: idSchema,
  method: z.string().max(64),
  params: z.record(z.string(), z.unknown()).optional(),
  serviceParameters: serviceParameters.optional(),
});

const jsonrpc = z.literal('2.0');
export const resultFrame = z.strictObject({
  jsonrpc,
  id: idSchema,
  result: z.unknown(),
  serviceParameters: serviceParameters.optional(),
});
export const errorFrame = z.strictObject({
  jsonrpc,
  id: idSchema.nullable(),
  error: z.looseObject({
    code: z.number().int(),
    message: z.string(),
    data: z.array(z.record(z.string(), z.unknown())).max(64).optional(),
  }),
  serviceParameters: serviceParameters.optional(),
});
