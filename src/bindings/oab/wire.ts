/** Domain to the custom OAB protocol's JSON: tasks as objects, event items spliced from the stored text. */
import type { Description, TaskSnapshot } from '../../executor/service.js';
import type { StoredEvent } from '../../journal/journal.js';
import type { Digest } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';

export function descriptionJson({ peer, version, params }: Description): Record<string, unknown> {
  const { cursor, ...rest } = params;
  return {
    protocol_version: 1,
    peer,
    version,
    params: { ...rest, cursor: { retentionSeconds: cursor.retentionSeconds } },
  };
}

export function taskJson(executor: string, snapshot: TaskSnapshot): Record<string, unknown> {
  const { row, status, artifacts, cursor, result } = snapshot;
  return {
    task_id: row.taskId,
    context_id: row.contextId,
    turn_id: row.turnId,
    status,
    artifacts: artifacts.map((artifact) => ({ ...artifact, owner: executor })),
    sequence: row.sequence,
    cursor,
    head: row.head,
    effective_capabilities: row.effective,
    deadline_at: new Date(row.deadlineAt).toISOString(),
    ...(row.cancelRequestedAt === undefined
      ? {}
      : { cancel_requested_at: new Date(row.cancelRequestedAt).toISOString() }),
    ...(result === undefined ? {} : { result }),
  };
}

/** What is the same in every item of one task's stream. */
export interface ItemNames {
  /** JSON of the turn's id, behind its name. */
  turn: string;
  owner: string;
  effective: readonly string[];
  deadlineAt: number;
}

export function itemNames(executor: string, { row }: TaskSnapshot): ItemNames {
  return {
    turn: `"turn_id":${JSON.stringify(row.turnId)}`,
    owner: `,"owner":${JSON.stringify(executor)}`,
    effective: row.effective,
    deadlineAt: row.deadlineAt,
  };
}

/** The JSON text of one item: the stored body as the chain hashes it, never parsed, and its place beside it. */
export function itemText({ turn, owner, effective, deadlineAt }: ItemNames, event: StoredEvent): string {
  const { sequence, cursor, body, meta } = event;
  let text = `{${turn},"sequence":${sequence},"cursor":${JSON.stringify(cursor)},"event":${body}`;
  if (body.startsWith('{"artifactUpdate"')) text += owner;
  if (sequence === 1) {
    const deadline = new Date(deadlineAt).toISOString();
    text += `,"effective_capabilities":${JSON.stringify(effective)},"deadline_at":"${deadline}"`;
  }
  if (meta !== undefined) text += besides(meta);
  return `${text}}`;
}

/** The journal keeps what stands beside a body under the profile's metadata keys. */
function besides(meta: string): string {
  const kept = JSON.parse(meta) as { [KEY.cancel]?: { requested_at: string }; [KEY.result]?: unknown };
  const cancel = kept[KEY.cancel];
  const result = kept[KEY.result];
  return (
    (cancel === undefined ? '' : `,"cancel_requested_at":${JSON.stringify(cancel.requested_at)}`) +
    (result === undefined ? '' : `,"result":${JSON.stringify(result)}`)
  );
}

/** An explicit gap: everything up to here was trimmed (D-12). */
export function gapText(floor: { sequence: number; head: Digest }): string {
  return JSON.stringify({ floor });
}
