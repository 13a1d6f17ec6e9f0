/** A received Task or event: shape-checked as far as we rely on it, and otherwise left as it came (the chain is over it). */
import { z } from 'zod';
import {
  NotNegotiated,
  PeerUnreachable,
  type RemoteFrame,
  type RemoteTask,
} from '../../coordinator/connection.js';
import { isDigest } from '../../profile/canonical.js';
import { isTaskState } from '../../profile/lifecycle.js';
import type {
  Digest,
  EventBody,
  EventPage,
  EventPosition,
  ResultEnvelope,
  Task,
} from '../../profile/model.js';
import { KEY } from '../../profile/names.js';

const cursor = z.string().regex(/^[\x21-\x2b\x2d-\x7e]{1,256}$/);
const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const head = z.custom<Digest>(isDigest);

const position = z.object({ turn_id: z.string().min(1).max(128), sequence, cursor, head: head.optional() });
const page = z.object({
  events: z.array(z.object({ sequence, cursor, event: z.looseObject({}) })).max(100_000),
  next: z.union([z.literal(''), cursor]),
  complete: z.boolean(),
  floor: z.object({ sequence: z.number().int().min(0), head }).optional(),
});
const metadata = z.record(z.string(), z.unknown());
const status = z.looseObject({ state: z.string().refine(isTaskState), timestamp: z.string() });
const task = z.looseObject({
  id: z.string().min(1).max(128),
  contextId: z.string().max(256),
  status,
  artifacts: z
    .array(z.looseObject({ artifactId: z.string() }))
    .max(1000)
    .optional(),
  metadata: metadata.optional(),
});
const update = z.looseObject({ taskId: z.string(), metadata: metadata.optional() });
const event = z.union([
  z.looseObject({ statusUpdate: update.extend({ status }) }),
  z.looseObject({ artifactUpdate: update }),
]);

/** `echoed`: the answer said A2A-Extensions: EXT. Throws NotNegotiated when nothing says that the profile is active. */
export function remoteTask(raw: unknown, echoed: boolean): RemoteTask {
  const parsed = task.safeParse(raw);
  if (!parsed.success) throw new PeerUnreachable(`an answer that is no Task: ${where(parsed.error)}`);
  const extra = parsed.data.metadata ?? {};
  const result: RemoteTask = { task: raw as Task };
  if (extra[KEY.event] !== undefined)
    result.position = read(position, extra[KEY.event], KEY.event) as EventPosition;
  else if (!echoed) {
    throw new NotNegotiated('the answer has neither the extension’s echo nor its metadata', parsed.data.id);
  }
  if (extra[KEY.events] !== undefined)
    result.page = read(page, extra[KEY.events], KEY.events) as unknown as EventPage;
  if (extra[KEY.result] !== undefined) result.result = extra[KEY.result] as ResultEnvelope;
  return result;
}

/** One stream item: `{task}`, `{statusUpdate}` or `{artifactUpdate}`. */
export function remoteFrame(raw: unknown, echoed: boolean): RemoteFrame {
  if (typeof raw === 'object' && raw !== null && 'task' in raw) return { task: remoteTask(raw.task, echoed) };
  const parsed = event.safeParse(raw);
  if (!parsed.success) throw new PeerUnreachable('a stream item that is neither a Task nor an event');
  const inner = (
    'statusUpdate' in parsed.data ? parsed.data.statusUpdate : parsed.data.artifactUpdate
  ) as z.infer<typeof update>;
  const raw_ = inner.metadata?.[KEY.event];
  if (raw_ === undefined) throw new NotNegotiated('an event without the extension’s metadata');
  return { event: raw as EventBody, position: read(position, raw_, KEY.event) as EventPosition };
}

function read<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new PeerUnreachable(`malformed ${what}: ${where(parsed.error)}`);
  return parsed.data;
}

function where(error: z.ZodError): string {
  return error.issues[0]?.path.join('.') ?? '';
}
