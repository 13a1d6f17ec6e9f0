/** A create as an A2A message, on raw wire JSON: exactly the shape that section 3 names, both ways. */
import { z } from 'zod';
import { ProfileError } from './errors.js';
import type { DelegationRequest, Message } from './model.js';
import { EXT, KEY } from './names.js';
import { parseRequest } from './request.js';

/** Core members beyond these are ignored (A2A 5.7), never stored or forwarded; absent means its proto default. */
const absent = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
const nothing = z.unknown().refine(absent).optional();

const part = z.object({
  text: z.string(),
  raw: nothing,
  url: nothing,
  data: z.undefined().optional(),
  mediaType: z.enum(['', 'text/plain']).optional(),
  filename: nothing,
});

const sendParams = z.object({
  message: z.object({
    messageId: z.string().min(1),
    role: z.literal('ROLE_USER'),
    parts: z.array(part).length(1),
    taskId: nothing,
    contextId: nothing,
    referenceTaskIds: nothing,
    extensions: z.tuple([z.literal(EXT)]),
    // Not z.record: it passes over a member named `__proto__`.
    metadata: z.custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ),
  }),
  configuration: z
    .object({
      returnImmediately: z.boolean().optional(),
      taskPushNotificationConfig: z.null().optional(),
      acceptedOutputModes: z.array(z.string()).optional(),
      historyLength: z.number().int().optional(),
    })
    .optional(),
});

export interface CreateParams {
  request: DelegationRequest;
  returnImmediately: boolean;
}

/** `params` of SendMessage or SendStreamingMessage to the request in it; throws ProfileError. */
export function requestFromParams(
  params: unknown,
  self: { peer: string; maxTaskBytes: number },
): CreateParams {
  refuseMetadata(params);
  const parsed = sendParams.safeParse(params);
  if (!parsed.success) throw new ProfileError('MALFORMED', parsed.error.issues[0]?.path.join('.'));
  const { message, configuration } = parsed.data;
  const { [KEY.request]: body, ...others } = message.metadata;
  if (Object.keys(others).length > 0) throw new ProfileError('UNKNOWN_MEMBER', 'message.metadata');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ProfileError('MALFORMED', KEY.request);
  // A second copy could differ from the text that a core agent reads.
  if ('task' in body) throw new ProfileError('UNKNOWN_MEMBER', `${KEY.request}.task`);
  const request = parseRequest({ ...body, task: message.parts[0]?.text }, self);
  if (message.messageId !== request.request_id) throw new ProfileError('MALFORMED', 'message.messageId');
  return { request, returnImmediately: configuration?.returnImmediately === true };
}

/** Metadata anywhere but on the message is a member that the profile does not know. */
function refuseMetadata(params: unknown): void {
  const read = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  const filled = (value: unknown) =>
    value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0);
  const message = read(params, 'message');
  const parts = read(message, 'parts');
  if (filled(read(params, 'metadata'))) throw new ProfileError('UNKNOWN_MEMBER', 'metadata');
  if (filled(read(read(params, 'configuration'), 'metadata'))) {
    throw new ProfileError('UNKNOWN_MEMBER', 'configuration.metadata');
  }
  if (Array.isArray(parts) && parts.some((one) => filled(read(one, 'metadata')))) {
    throw new ProfileError('UNKNOWN_MEMBER', 'message.parts.metadata');
  }
}

/** The one message of a request: the same request gives the same bytes, so that a retry is byte-identical. */
export function messageFromRequest(request: DelegationRequest): Message {
  const { task, ...rest } = request;
  return {
    messageId: request.request_id,
    role: 'ROLE_USER',
    parts: [{ text: task }],
    extensions: [EXT],
    metadata: { [KEY.request]: rest },
  };
}
