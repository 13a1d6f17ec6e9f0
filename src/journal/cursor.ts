/**
 * Cursors: opaque to everyone else, a position of one task to us. A keyed tag makes every changed byte and every other
 * task's cursor invalid without a table of issued ones, and the key lives in the store, so all replicas agree.
 */
import { hash, timingSafeEqual } from 'node:crypto';
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
  return hmac(secret, `${taskId}\n${sequence}`).slice(0, 16);
}

const BLOCK_BYTES = 64;
/** The two padded keys of a secret, each with room behind it for what is hashed after it. */
const padded = new WeakMap<Buffer, { inner: Buffer; outer: Buffer }>();

function pad(secret: Buffer, byte: number, room: number): Buffer {
  const buffer = Buffer.alloc(BLOCK_BYTES + room);
  for (let at = 0; at < BLOCK_BYTES; at += 1) buffer[at] = (secret[at] ?? 0) ^ byte;
  return buffer;
}

/**
 * HMAC-SHA-256 (RFC 2104) as base64url, of a secret of at most 64 bytes. By two one-shot hashes: each event carries a
 * cursor, and node's Hmac object costs more than twice as much as both.
 */
function hmac(secret: Buffer, text: string): string {
  const most = text.length * 3;
  let pads = padded.get(secret);
  if (pads === undefined || pads.inner.length < BLOCK_BYTES + most) {
    pads = { inner: pad(secret, 0x36, Math.max(256, most)), outer: pad(secret, 0x5c, 32) };
    padded.set(secret, pads);
  }
  const length = pads.inner.write(text, BLOCK_BYTES);
  pads.outer.write(hash('sha256', pads.inner.subarray(0, BLOCK_BYTES + length), 'hex'), BLOCK_BYTES, 'hex');
  return hash('sha256', pads.outer, 'base64url');
}
