/**
 * What the OAB protocol says of tasks and events, in the one form that suites and checkers read: the Task and events of
 * A2A, with what stands beside them under the profile's keys. Nothing is left out that was said.
 */
import { KEY } from '../../profile/names.js';
import type { Json } from './probe.js';

/** A task of docs/bindings/oab.md; anything else is given back as it is. */
export function fromOabTask(json: Json): Json {
  if (typeof json.task_id !== 'string' || typeof json.status !== 'object') return json;
  const { task_id, context_id, status, artifacts, result, cancel_requested_at, ...place } = json;
  return {
    id: task_id,
    contextId: context_id,
    status,
    ...(Array.isArray(artifacts) ? { artifacts: (artifacts as Json[]).map(owned) } : {}),
    metadata: { [KEY.event]: place, ...beside(result, cancel_requested_at) },
  };
}

/** One item of a stream: an event with its place, or a gap as it is. */
export function fromOabItem(json: Json): Json {
  const { event, owner, result, cancel_requested_at, ...place } = json;
  const [kind, inner] = Object.entries((event ?? {}) as Record<string, Json>)[0] ?? [];
  if (kind === undefined || inner === undefined) return json;
  const artifact = inner.artifact as Json | undefined;
  return {
    [kind]: {
      ...inner,
      ...(artifact === undefined ? {} : { artifact: owned({ ...artifact, owner }) }),
      metadata: {
        ...(inner.metadata as Json | undefined),
        [KEY.event]: place,
        ...beside(result, cancel_requested_at),
      },
    },
  };
}

function owned({ owner, ...artifact }: Json): Json {
  if (owner === undefined) return artifact;
  return { ...artifact, metadata: { ...(artifact.metadata as Json | undefined), [KEY.owner]: owner } };
}

function beside(result: unknown, cancelled: unknown): Json {
  return {
    ...(cancelled === undefined ? {} : { [KEY.cancel]: { requested_at: cancelled } }),
    ...(result === undefined ? {} : { [KEY.result]: result }),
  };
}
