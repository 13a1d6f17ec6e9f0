/** The hash chain over a task's event log (section 4): what the signed head commits to. */
import { createHash } from 'node:crypto';
import { jcs } from './canonical.js';
import { canonicalEvent } from './event-form.js';
import type { Digest } from './model.js';

const DOMAIN = 'oab-event-log/v1';

/** head_0: before the first event; it binds the log to one task and one request. */
export function firstHead(taskId: string, requestDigest: Digest): Digest {
  return written(createHash('sha256').update(`${DOMAIN}\n${taskId}\n${requestDigest}`));
}

/** head_n from head_{n−1} (its 32 raw bytes) and the JCS text of B_n. */
export function nextHead(head: Digest, body: string): Digest {
  return written(
    createHash('sha256')
      .update(Buffer.from(head.slice('sha256:'.length), 'hex'))
      .update(body),
  );
}

/** head_n for an event as it was received: in whatever JSON, it is hashed in canonical form. */
export function headAfter(head: Digest, event: unknown): Digest {
  return nextHead(head, jcs(canonicalEvent(event)));
}

function written(hash: ReturnType<typeof createHash>): Digest {
  return `sha256:${hash.digest('hex')}`;
}
