/** The params of the read and cancel operations, on raw wire JSON: unknown core members are ignored (A2A 5.7). */
import { z } from 'zod';
import type { TaskListQuery } from '../../executor/service.js';
import { ProfileError } from '../../profile/errors.js';
import { canonicalInstant, NotAnEvent } from '../../profile/event-form.js';
import { isTaskState } from '../../profile/lifecycle.js';

const MAX_ID = 256;
const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

const emptyMetadata = z.record(z.string(), z.never()).nullish();
const taskId = z.object({
  id: z.string().min(1).max(MAX_ID),
  historyLength: z.number().int().min(0).nullish(),
});
const cancel = z.object({ id: z.string().min(1).max(MAX_ID), metadata: z.unknown().optional() });
const list = z.object({
  contextId: z.string().max(MAX_ID).nullish(),
  status: z.string().max(64).nullish(),
  pageSize: z.number().int().min(1).max(MAX_PAGE).nullish(),
  pageToken: z.string().max(1024).nullish(),
  statusTimestampAfter: z.string().max(64).nullish(),
  historyLength: z.number().int().min(0).nullish(),
  includeArtifacts: z.boolean().nullish(),
});

export function taskIdOf(params: unknown): string {
  return parse(taskId, params).id;
}

/** No metadata object is a way in, not even a cancel's (O-29). */
export function cancelledIdOf(params: unknown): string {
  const { id, metadata } = parse(cancel, params);
  if (!emptyMetadata.safeParse(metadata).success) throw new ProfileError('UNKNOWN_MEMBER', 'metadata');
  return id;
}

export function listQueryOf(params: unknown): TaskListQuery {
  const { contextId, status, pageSize, pageToken, statusTimestampAfter, includeArtifacts } = parse(
    list,
    params ?? {},
  );
  const query: TaskListQuery = {
    limit: pageSize ?? DEFAULT_PAGE,
    withArtifacts: includeArtifacts === true,
  };
  if (contextId) query.contextId = contextId;
  if (pageToken) query.after = pageToken;
  if (status && status !== 'TASK_STATE_UNSPECIFIED') {
    if (!isTaskState(status)) throw new ProfileError('MALFORMED', 'status');
    query.state = status;
  }
  if (statusTimestampAfter) query.since = Date.parse(instantOf(statusTimestampAfter));
  return query;
}

function instantOf(text: string): string {
  try {
    return canonicalInstant(text);
  } catch (error) {
    if (error instanceof NotAnEvent) throw new ProfileError('MALFORMED', 'statusTimestampAfter');
    throw error;
  }
}

function parse<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new ProfileError('MALFORMED', parsed.error.issues[0]?.path.join('.'));
  return parsed.data;
}
