/** The extension on an agent card, and what it takes to be negotiated (section 2). */
import { z } from 'zod';
import type { CardParams } from './model.js';
import { EXT, WSS_BINDING } from './names.js';

const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.number().int().min(least).max(most);
const KIB = 1024;

export const cardParamsSchema = z
  .object({
    maxDepth: z.literal(1),
    cursor: z.object({
      serviceParameter: z.literal('OAB-Cursor'),
      retentionSeconds: z.number().nonnegative(),
    }),
    idempotency: z.object({ windowSeconds: z.number().positive() }),
    heartbeatSeconds: z.number().min(0.1).max(15),
    stopGraceMs: whole(0),
    revocationSeconds: z.number().nonnegative(),
    limits: z.object({
      maxTaskBytes: whole(1),
      maxDeadlineMs: whole(1),
      maxOutputBytes: whole(1, 1.5 * KIB * KIB),
      maxEvents: whole(2),
      maxEventBytes: whole(64 * KIB, KIB * KIB),
      maxFrameBytes: whole(1),
    }),
    capabilities: z.array(z.string()),
    results: z.object({
      algorithm: z.string(),
      canonicalization: z.literal('RFC8785'),
      jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    }),
  })
  .superRefine((params, context) => {
    const problem = inconsistency(params as CardParams, DEFAULT_SKEW_MS);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

export const DEFAULT_SKEW_MS = 30_000;

/** What makes otherwise well-formed params invalid; configuration is held to it before a card is ever served. */
export function inconsistency(params: CardParams, skewMs: number): string | undefined {
  const { limits } = params;
  const window = params.idempotency.windowSeconds * 1000;
  if (window < Math.max(limits.maxDeadlineMs, 60_000) + 4 * skewMs) {
    return 'idempotency.windowSeconds is shorter than the longest deadline (at least 60 s) plus four times the clock skew';
  }
  if (limits.maxFrameBytes < 2 * (limits.maxOutputBytes + 256 * KIB) + limits.maxEventBytes) {
    return 'limits.maxFrameBytes cannot hold a Task and a page of events beside it';
  }
  return undefined;
}

const cardSchema = z.object({
  supportedInterfaces: z
    .array(z.object({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string().optional() }))
    .min(1)
    .max(64),
  capabilities: z.object({
    extensions: z
      .array(z.object({ uri: z.string(), required: z.boolean().optional(), params: z.unknown().optional() }))
      .max(256)
      .optional(),
  }),
});

export type CardRefusal =
  | 'CARD_MALFORMED'
  | 'EXTENSION_ABSENT'
  | 'EXTENSION_NOT_REQUIRED'
  | 'PARAMS_INVALID'
  | 'BINDING_ABSENT';

/** Reads a raw card: the params and the interface for a binding, or why nothing may be sent to this peer (O-55). */
export function negotiate(
  raw: unknown,
  binding: string,
): { params: CardParams; url: string } | { refused: CardRefusal; detail?: string } {
  const card = cardSchema.safeParse(raw);
  if (!card.success) return { refused: 'CARD_MALFORMED', detail: card.error.issues[0]?.path.join('.') ?? '' };
  const extension = card.data.capabilities.extensions?.find(({ uri }) => uri === EXT);
  if (extension === undefined) return { refused: 'EXTENSION_ABSENT' };
  if (extension.required !== true) return { refused: 'EXTENSION_NOT_REQUIRED' };
  const params = cardParamsSchema.safeParse(extension.params);
  if (!params.success)
    return { refused: 'PARAMS_INVALID', detail: params.error.issues[0]?.path.join('.') ?? '' };
  const wanted = binding === 'WSS' ? WSS_BINDING : binding;
  const found = card.data.supportedInterfaces.find(
    ({ protocolBinding, protocolVersion }) =>
      protocolBinding === wanted && (protocolVersion ?? '1.0') === '1.0',
  );
  if (found === undefined) return { refused: 'BINDING_ABSENT' };
  return { params: params.data as CardParams, url: found.url };
}

/** Whether `A2A-Extensions` activates the profile: a comma list, repeated lines joined, URIs compared exactly. */
export function activates(header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  const list = typeof header === 'string' ? header : header.join(',');
  return list.split(',').some((uri) => uri.trim() === EXT);
}
