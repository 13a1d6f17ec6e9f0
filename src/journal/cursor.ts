/**
 * Cursors: opaque to everyone else, a position of one task to us. A keyed tag makes every changed byte and every other
 * task's cursor invalid without a table of issued ones, and the key lives in the store, so all replicas agree.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { CURSOR_START } from '../profile/names.js';

const SHAPE = /^c([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{16})$/;

export function cursorOf(secret: Buffer, taskId: string, sequence: number): string {
  return sequence === 0 ? CURSOR_START : `c${sequence}.${tag(secret, taskId, sequence)}`;
}

/** The sequence that a cursor names, or undefined when this task did not issue it. */
export function positionOf(secret: Buffer, taskId: string, cursor: string): number | undefined {
  if (cursor === CURSOR_START) return 0;
  const match = SHAPE.exec(cursor);
  if (match === null) return undefined;
  const sequence = Number(match[1]);
  const given = Buffer.from(match[2] ?? '');
  const own = Buffer.from(tag(secret, taskId, sequence));
  return timingSafeEqual(given, own) ? sequence : undefined;
}

/** 96 bits as 16 characters of base64url, without spare bits that a changed character could hide in. */
function tag(secret: Buffer, taskId: string, sequence: number): string {
  return createHmac('sha256', secret)
    .update(`${taskId}\n${sequence}`)
    .digest()
    .subarray(0, 12)
    .toString('base64url');
}
