/** What the stand-in's requests say, checked: Toxiproxy's own field names, types and refusals. */
import { z } from 'zod';
import type { PlacedToxic } from './connection.js';
import type { Toxic } from './toxic.js';
import { bandwidth } from './toxics/bandwidth.js';
import { latency } from './toxics/latency.js';
import { limitData } from './toxics/limit-data.js';
import { resetPeer } from './toxics/reset-peer.js';
import { slicer } from './toxics/slicer.js';
import { slowClose } from './toxics/slow-close.js';
import { timeout } from './toxics/timeout.js';

const TOXICS: readonly Toxic[] = [latency, bandwidth, slowClose, timeout, resetPeer, slicer, limitData];

export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type Body = Record<string, unknown>;

const Proxy_ = z.object({
  name: z.string().optional(),
  listen: z.string().optional(),
  upstream: z.string().optional(),
  enabled: z.boolean().optional(),
});
const Placed = z.object({
  name: z.string().default(''),
  type: z.string().default(''),
  stream: z.string().default('downstream'),
  toxicity: z.number().default(1),
});

/** Throws ApiError 400 when it is no JSON object. */
export function objectOf(raw: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    throw new ApiError(400, `bad request body: ${(error as Error).message}`);
  }
  return checked(z.record(z.string(), z.unknown()), value);
}

export function proxyFields(body: Body): z.infer<typeof Proxy_> {
  return checked(Proxy_, body);
}

/** Throws ApiError 400 for a stream or type that does not exist. */
export function placedToxic(body: Body): PlacedToxic {
  const { name, type, stream, toxicity } = checked(Placed, body);
  if (stream !== 'upstream' && stream !== 'downstream')
    throw new ApiError(400, 'stream was invalid, can be either upstream or downstream');
  const toxic = TOXICS.find((one) => one.type === type);
  if (toxic === undefined) throw new ApiError(400, 'invalid toxic type');
  const { attributes } = toxicChange(body, toxic);
  return {
    name: name === '' ? `${type}_${stream}` : name,
    toxic,
    stream,
    toxicity,
    attributes: { ...toxic.attributes, ...attributes },
  };
}

/** Toxicity and attributes of a change; what is absent stays as it is, what is unknown is passed over. */
export function toxicChange(
  body: Body,
  toxic: Toxic,
): { toxicity?: number | undefined; attributes: Record<string, number> } {
  const attributes = z.partialRecord(z.enum(Object.keys(toxic.attributes)), z.int());
  const known = Object.fromEntries(
    Object.entries(checked(z.record(z.string(), z.unknown()), body.attributes ?? {})).filter(
      ([name]) => name in toxic.attributes,
    ),
  );
  return {
    toxicity: checked(z.number().optional(), body.toxicity),
    attributes: checked(attributes, known) as Record<string, number>,
  };
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success)
    throw new ApiError(400, `bad request body: ${result.error.issues[0]?.message ?? 'invalid'}`);
  return result.data;
}
