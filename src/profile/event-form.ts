/**
 * The canonical event form of section 4: one JSON for one event, whatever JSON of it was received. ProtoJSON names;
 * members that equal their default or are empty are absent unless A2A marks them REQUIRED; timestamps in milliseconds
 * UTC; padded standard base64; no unknown members; no key of the extension in any metadata.
 */
import type { Artifact, EventBody, Message, Metadata, Part, TaskState, TaskStatus } from './model.js';
import { EXT } from './names.js';

/** The JSON is no A2A event of the shape that a log may hold. */
export class NotAnEvent extends Error {
  override name = 'NotAnEvent';
}

type Raw = Record<string, unknown>;

/** From any ProtoJSON of a StreamResponse with `statusUpdate` or `artifactUpdate`. Throws NotAnEvent. */
export function canonicalEvent(json: unknown): EventBody {
  const outer = object(json, 'event');
  only(outer, ['statusUpdate', 'artifactUpdate', 'task', 'message']);
  if (present(outer.statusUpdate)) {
    const update = object(outer.statusUpdate, 'statusUpdate');
    return {
      statusUpdate: {
        taskId: text(update.taskId, 'taskId'),
        contextId: text(update.contextId, 'contextId'),
        status: canonicalStatus(update.status),
        ...metadataOf(update.metadata),
      },
    };
  }
  const update = object(outer.artifactUpdate, 'artifactUpdate');
  return {
    artifactUpdate: {
      taskId: text(update.taskId, 'taskId'),
      contextId: text(update.contextId, 'contextId'),
      artifact: canonicalArtifact(update.artifact),
      ...(update.append === true ? { append: true } : {}),
      ...(update.lastChunk === true ? { lastChunk: true } : {}),
      ...metadataOf(update.metadata),
    },
  };
}

export function canonicalStatus(json: unknown): TaskStatus {
  const status = object(json, 'status');
  return {
    state: text(status.state, 'state') as TaskState,
    ...(status.message === undefined || status.message === null
      ? {}
      : { message: canonicalMessage(status.message) }),
    // Not REQUIRED in A2A; our executors always write it, another's log may lack it and still has one form.
    ...(present(status.timestamp) ? { timestamp: canonicalInstant(status.timestamp) } : {}),
  } as TaskStatus;
}

export function canonicalMessage(json: unknown): Message {
  const message = object(json, 'message');
  return {
    messageId: text(message.messageId, 'messageId'),
    ...optional('contextId', message.contextId),
    ...optional('taskId', message.taskId),
    role: text(message.role, 'role') as Message['role'],
    parts: parts(message.parts),
    ...metadataOf(message.metadata),
    ...strings('extensions', message.extensions),
    ...strings('referenceTaskIds', message.referenceTaskIds),
  };
}

/** Also the form over which an artifact's digest is taken, before its last selection of members. */
export function canonicalArtifact(json: unknown): Artifact {
  const artifact = object(json, 'artifact');
  return {
    artifactId: text(artifact.artifactId, 'artifactId'),
    ...optional('name', artifact.name),
    ...optional('description', artifact.description),
    parts: parts(artifact.parts),
    ...metadataOf(artifact.metadata),
    ...strings('extensions', artifact.extensions),
  };
}

/** `YYYY-MM-DDThh:mm:ss.sssZ` of any RFC 3339 instant. */
export function canonicalInstant(value: unknown): string {
  const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  if (typeof value !== 'string' || !rfc3339.test(value)) throw new NotAnEvent('timestamp');
  const date = new Date(value.toUpperCase());
  if (Number.isNaN(date.getTime())) throw new NotAnEvent('timestamp');
  return date.toISOString();
}

function parts(value: unknown): Part[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new NotAnEvent('parts');
  return value.map(canonicalPart);
}

/** The content is a oneof: its one member stays even where it is empty; `data` is free JSON and is left alone. */
function canonicalPart(json: unknown): Part {
  const part = object(json, 'part');
  const content: Part = {};
  // A null `data` is a value (google.protobuf.Value), and then it must be the only content.
  if (part.data !== undefined) {
    content.data = part.data;
    if (['text', 'raw', 'url'].some((name) => present(part[name]))) throw new NotAnEvent('two contents');
  } else {
    only(part, ['text', 'raw', 'url']);
    if (present(part.text)) content.text = text(part.text, 'text');
    else if (present(part.raw)) content.raw = base64(part.raw);
    else if (present(part.url)) content.url = text(part.url, 'url');
    else throw new NotAnEvent('a part without content');
  }
  return {
    ...content,
    ...optional('mediaType', part.mediaType),
    ...optional('filename', part.filename),
    ...metadataOf(part.metadata),
  };
}

/** ProtoJSON: null is absent. */
function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A oneof with two members would be one event to the chain and another to a reader that takes the other. */
function only(raw: Raw, oneof: readonly string[]): void {
  if (oneof.filter((name) => present(raw[name])).length > 1) throw new NotAnEvent(oneof.join(' or '));
}

function base64(value: unknown): string {
  const given = text(value, 'raw');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(given)) throw new NotAnEvent('raw');
  return Buffer.from(given, 'base64').toString('base64');
}

/** Keys of the extension are not part of what is hashed: the envelope itself rides there (section 6, no cycle). */
function metadataOf(value: unknown): { metadata?: Metadata } {
  if (value === undefined || value === null) return {};
  const kept = Object.entries(object(value, 'metadata')).filter(([key]) => !key.startsWith(EXT));
  return kept.length === 0 ? {} : { metadata: Object.fromEntries(kept) };
}

function optional<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  if (value === undefined || value === null || value === '') return {};
  return { [key]: text(value, key) } as { [P in K]?: string };
}

function strings<K extends string>(key: K, value: unknown): { [P in K]?: string[] } {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (!Array.isArray(value)) throw new NotAnEvent(key);
  return { [key]: value.map((item) => text(item, key)) } as { [P in K]?: string[] };
}

function object(value: unknown, where: string): Raw {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotAnEvent(where);
  return value as Raw;
}

function text(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new NotAnEvent(where);
  return value;
}
