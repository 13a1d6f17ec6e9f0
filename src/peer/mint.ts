/** Ids that an executor mints (O-86): nobody can guess one, and they sort by the time at which they were made. */
import { randomUUID } from 'node:crypto';

/**
 * 12 hexadecimal digits of the time in ms, then 122 random bits. Tasks of one time stand side by side in the journal's
 * tables: a commit touches a few pages in place of one per task and table.
 */
export function mintId(kind: 'task' | 'context' | 'turn' | 'message', now: number): string {
  if (kind === 'message') return randomUUID();
  return `${kind}-${now.toString(16).padStart(12, '0')}-${randomUUID()}`;
}
