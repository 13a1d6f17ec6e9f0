/** The unary verbs over the delegation service, and the params of all. */
import type { z } from 'zod';
import type { Caller, DelegationService } from '../../executor/service.js';
import { ProfileError } from '../../profile/errors.js';
import type { parseRequest } from '../../profile/request.js';
import { isUnknownMember } from '../websocket/frames.js';
import type { Verb } from './names.js';
import { verbParams } from './shapes.js';
import { descriptionJson, taskJson } from './wire.js';

/** The result of a unary verb; `events` is a stream, and asked for elsewhere. */
export async function callVerb(
  service: DelegationService,
  readRequest: typeof parseRequest,
  caller: Caller,
  verb: Exclude<Verb, 'events'>,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { peer, params: published } = service.describe();
  switch (verb) {
    case 'describe':
      paramsOf(verbParams.describe, params);
      return descriptionJson(service.describe());
    case 'create': {
      const { request } = paramsOf(verbParams.create, params);
      const self = { peer, maxTaskBytes: published.limits.maxTaskBytes };
      const { snapshot } = await service.create(caller, readRequest(request, self));
      return taskJson(peer, snapshot);
    }
    case 'get': {
      const { task_id } = paramsOf(verbParams.get, params);
      return taskJson(peer, (await service.get(caller, task_id)).snapshot);
    }
    case 'cancel': {
      const { task_id } = paramsOf(verbParams.cancel, params);
      return taskJson(peer, await service.cancel(caller, task_id));
    }
  }
}

export function paramsOf<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const reason = isUnknownMember(parsed.error) ? 'UNKNOWN_MEMBER' : 'MALFORMED';
  throw new ProfileError(reason, parsed.error.issues[0]?.path.join('.'));
}
