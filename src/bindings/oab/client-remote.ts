/**
 * What a peer says of itself and its tasks, as the coordinator's port has it: what stands beside an event here rides in
 * its metadata there, which the chain leaves out. Shape-checked as far as we rely on it; what is signed is judged later.
 */
import { z } from 'zod';
import {
  NotNegotiated,
  type PeerDescription,
  PeerUnreachable,
  type RemoteFrame,
  type RemoteTask,
} from '../../coordinator/connection.js';
import { isDigest } from '../../profile/canonical.js';
import { cardParamsSchema } from '../../profile/card.js';
import { isTaskState } from '../../profile/lifecycle.js';
import type { CardParams, Digest, EventBody, ResultEnvelope, Task } from '../../profile/model.js';
import { CURSOR_PARAMETER, EXT, KEY } from '../../profile/names.js';

const name = z.string().min(1).max(256);
const cursor = z.string().regex(/^[\x21-\x2b\x2d-\x7e]{1,256}$/);
const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const head = z.custom<Digest>(isDigest);
const status = z.looseObject({ state: z.string().refine(isTaskState), timestamp: z.string() });
const granted = {
  effective_capabilities: z.array(z.string()).max(64).optional(),
  deadline_at: z.string().max(64).optional(),
  cancel_requested_at: z.string().max(64).optional(),
  result: z.unknown().optional(),
};

const taskSchema = z.looseObject({
  task_id: name,
  context_id: name,
  turn_id: name,
  status,
  artifacts: z
    .array(
      z.looseObject({
        artifactId: z.string(),
        name: z.string().optional(),
        description: z.string().optional(),
        parts: z.array(z.unknown()),
        owner: z.unknown().optional(),
      }),
    )
    .max(1000),
  sequence,
  cursor,
  head,
  ...granted,
});

const update = { taskId: z.string(), metadata: z.record(z.string(), z.unknown()).optional() };
const event = z.union([
  z.strictObject({ statusUpdate: z.looseObject({ ...update, status }) }),
  z.strictObject({ artifactUpdate: z.looseObject(update) }),
]);
const itemSchema = z.strictObject({
  turn_id: name,
  sequence,
  cursor,
  event,
  owner: z.string().optional(),
  ...granted,
});
const gapSchema = z.strictObject({ floor: z.strictObject({ sequence, head }) });

const descriptionSchema = z.looseObject({
  protocol_version: z.literal(1),
  peer: z.string(),
  params: z.looseObject({ cursor: z.looseObject({}) }),
});

/** Throws NotNegotiated: nothing may be sent to this peer. */
export function remoteDescription(raw: unknown, peer: string, url: string): PeerDescription {
  const described = descriptionSchema.safeParse(raw);
  if (!described.success) throw new NotNegotiated(`no description of version 1: ${where(described.error)}`);
  if (described.data.peer !== peer) throw new NotNegotiated(`the peer calls itself ${described.data.peer}`);
  const { params } = described.data;
  const known = cardParamsSchema.safeParse({
    ...params,
    cursor: { ...params.cursor, serviceParameter: CURSOR_PARAMETER },
  });
  if (!known.success) throw new NotNegotiated(`PARAMS_INVALID ${where(known.error)}`);
  return { card: described.data, params: known.data as CardParams, url };
}

export function remoteTask(raw: unknown): RemoteTask {
  const told = read(taskSchema, raw, 'an answer that is no task');
  const { task_id, context_id, artifacts, cancel_requested_at, result } = told;
  const position = {
    turn_id: told.turn_id,
    sequence: told.sequence,
    cursor: told.cursor,
    head: told.head,
    ...(told.effective_capabilities === undefined
      ? {}
      : { effective_capabilities: told.effective_capabilities }),
    ...(told.deadline_at === undefined ? {} : { deadline_at: told.deadline_at }),
  };
  const task = {
    id: task_id,
    contextId: context_id,
    status: told.status,
    artifacts: artifacts.map(({ artifactId, name: named, description, parts, owner }) => ({
      artifactId,
      ...(named === undefined ? {} : { name: named }),
      ...(description === undefined ? {} : { description }),
      parts,
      ...(owner === undefined ? {} : { metadata: { [KEY.owner]: owner } }),
    })),
    metadata: { [KEY.event]: position, ...besides({ cancel_requested_at, result }) },
  } as unknown as Task;
  return { task, position, ...(result === undefined ? {} : { result: result as ResultEnvelope }) };
}

/** One item of the stream of this task. */
export function remoteItem(raw: unknown, taskId: string): Exclude<RemoteFrame, { task: unknown }> {
  if (typeof raw === 'object' && raw !== null && 'floor' in raw)
    return read(gapSchema, raw, 'an item that is no gap');
  const told = read(itemSchema, raw, 'an item that is no event');
  const [kind, inner] = Object.entries(told.event)[0] as [string, z.infer<z.ZodObject<typeof update>>];
  if (inner.taskId !== taskId) throw new PeerUnreachable('an event of another task');
  if (Object.keys(inner.metadata ?? {}).some((key) => key.startsWith(EXT)))
    throw new PeerUnreachable('an event that is not as the chain hashes it');
  const position = { turn_id: told.turn_id, sequence: told.sequence, cursor: told.cursor };
  const metadata = { ...inner.metadata, [KEY.event]: position, ...besides(told) };
  return { event: { [kind]: { ...inner, metadata } } as unknown as EventBody, position };
}

function besides({
  cancel_requested_at,
  result,
}: {
  cancel_requested_at?: string | undefined;
  result?: unknown;
}) {
  return {
    ...(cancel_requested_at === undefined ? {} : { [KEY.cancel]: { requested_at: cancel_requested_at } }),
    ...(result === undefined ? {} : { [KEY.result]: result }),
  };
}

function read<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new PeerUnreachable(`${what}: ${where(parsed.error)}`);
  return parsed.data;
}

function where(error: z.ZodError): string {
  return error.issues[0]?.path.join('.') ?? '';
}
