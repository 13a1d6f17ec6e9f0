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

/** Writes each batch of frames in one write; resolves when the source or the connection has ended. */
export async function writeEvents(
  response: ServerResponse,
  frames: AsyncIterable<string>,
  heartbeatMs: number,
): Promise<void> {
  // A comment is no event (WHATWG HTML 9.2): it only shows both sides that the link lives.
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(':\n\n');
  }, heartbeatMs);
  try {
    for await (const frame of frames) {
      if (response.destroyed) return;
      beat.refresh();
      if (!response.write(frame)) await drained(response);
    }
    response.end();
  } finally {
    clearInterval(beat);
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const close = () => gone.abort();
  response.once('close', close);
  try {
    await once(response, 'drain', { signal: gone.signal });
  } catch (error) {
    // The reader went away: the loop sees it at its next step.
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off('close', close);
  }
}
