/**
 * Server-sent events with true back-pressure: nothing is pulled while the socket is full, a comment keeps an idle
 * stream alive, and a reader that is gone leaves nothing behind.
 */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  // A hop that compresses or buffers would hold events back (OPEN-24).
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Looks at a reader that takes nothing, each half a heartbeat, before it counts as dead: 2.5 heartbeats (profile section 4). */
const DEAD_LOOKS = 5;

/** What is taken is seen in pieces of this size. */
const PIECE_BYTES = 64 * 1024;

/** Characters that fit one piece: each has three bytes at the most in UTF-8. */
const SHORT = Math.floor(PIECE_BYTES / 3);

/**
 * Writes each batch of frames, a long one in pieces; resolves when the source or the connection has ended. A reader that takes
 * nothing of what waits for it in `deadLooks` looks is let go: it may come back with its cursor, and holds nothing
 * until then, and `letGo` is told.
 */
export async function writeEvents(
  response: ServerResponse,
  frames: AsyncIterable<string>,
  heartbeatMs: number,
  deadLooks: number = DEAD_LOOKS,
  letGo: () => void = () => {},
): Promise<void> {
  // A comment is no event (WHATWG HTML 9.2): it only shows both sides that the link lives.
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(':\n\n');
  }, heartbeatMs);
  const watch = letGoOfTheDead(response, heartbeatMs / 2, deadLooks, letGo);
  try {
    for await (const frame of frames) {
      for (const piece of pieces(frame)) {
        if (response.destroyed) return;
        beat.refresh();
        if (!response.write(piece)) await drained(response);
      }
      // Not at the next frame: there may never be one.
      if (response.destroyed) return;
    }
    response.end();
  } finally {
    clearInterval(beat);
    clearInterval(watch);
  }
}

/** The one answer to a request, with the same patience for its reader; resolves when it is taken, or the connection is gone. */
export async function writeAnswer(
  response: ServerResponse,
  text: string,
  heartbeatMs: number,
  letGo: () => void,
): Promise<void> {
  const short = text.length <= SHORT;
  // Head and body in one write.
  if (short) response.end(text);
  // What the kernel has taken waits for no reader.
  if (short && response.socket !== null && response.writableLength === 0) return;
  const watch = letGoOfTheDead(response, heartbeatMs / 2, DEAD_LOOKS, letGo);
  response.once('close', () => clearInterval(watch));
  if (short) return;
  for (const piece of pieces(text)) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

function* pieces(frame: string): Generator<string | Buffer> {
  if (frame.length <= SHORT) return yield frame;
  const bytes = Buffer.from(frame);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** By looks and not by a time: a process of ours that stood still has not looked, and accuses nobody. */
function letGoOfTheDead(
  response: ServerResponse,
  everyMs: number,
  looks: number,
  letGo: () => void,
): NodeJS.Timeout {
  let before = 0;
  let still = 0;
  // Pieces of one size look like one that is stuck: a drain tells them apart.
  response.on('drain', () => {
    before = 0;
  });
  return setInterval(() => {
    // Behind another answer on its connection it waits for that one, and not for its reader.
    const waiting = response.socket === null ? 0 : response.writableLength;
    still = waiting > 0 && waiting === before ? still + 1 : 0;
    before = waiting;
    if (still < looks || response.destroyed) return;
    letGo();
    response.destroy();
  }, everyMs);
}

async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const close = () => gone.abort();
  response.once('close', close);
  try {
    await once(response, 'drain', { signal: gone.signal });
  } catch (error) {
    // The reader went away, or was let go.
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off('close', close);
  }
}
