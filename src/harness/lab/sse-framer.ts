/** Frames of Server-Sent Events: one ends behind the blank line that dispatches an event (WHATWG HTML 9.2.6). */
import { followHttpBodies } from './http-body.js';
import type { Framer } from './ports.js';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Counts only blocks that have a `data` field: a heartbeat comment comes when its timer says so, and a cut at "frame k"
 * must fall on the same event every time.
 */
export function createSseFramer(): Framer {
  const bodies = followHttpBodies();
  let field = '';
  let hasData = false;
  /** The end of a frame whose last byte was CR: an LF that follows still belongs to it. */
  let pending: number | undefined;
  let afterCr = false;

  function restart(): void {
    field = '';
    hasData = false;
    pending = undefined;
    afterCr = false;
  }

  function endLine(): boolean {
    const blank = field === '';
    if (/^data($|:)/.test(field)) hasData = true;
    field = '';
    if (!blank) return false;
    const dispatched = hasData;
    hasData = false;
    return dispatched;
  }

  return {
    push(chunk) {
      const ends: number[] = [];
      for (const { offset, bytes, first, contentType } of bodies(chunk)) {
        if (first) restart();
        if (!contentType.startsWith('text/event-stream')) continue;
        for (let at = 0; at < bytes.length; at += 1) {
          const byte = bytes[at];
          if (afterCr) {
            afterCr = false;
            if (pending !== undefined) ends.push(byte === LF ? offset + at + 1 : pending);
            pending = undefined;
            if (byte === LF) continue;
          }
          if (byte === CR) {
            afterCr = true;
            if (endLine()) pending = offset + at + 1;
          } else if (byte === LF) {
            if (endLine()) ends.push(offset + at + 1);
          } else if (field.length < 5) field += String.fromCharCode(byte as number);
        }
      }
      return ends;
    },
  };
}
