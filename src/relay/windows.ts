/** Flow control of the tunnels: both windows up on both ends, or a long round trip starves every stream. */
import type { Http2Session, SessionOptions } from 'node:http2';

/** Of the whole connection: what many streams may have under way together. */
const CONNECTION_WINDOW = 16 * 1024 * 1024;

/** `streamWindow` bounds what one stalled stream holds in memory, in bytes. */
export function sessionOptions(streamWindow: number, streams: number): SessionOptions {
  return {
    // In MB. Our own bound is the stream window; this one must not end a busy session.
    maxSessionMemory: 1024,
    peerMaxConcurrentStreams: streams,
    settings: { initialWindowSize: streamWindow, maxConcurrentStreams: streams, enablePush: false },
  };
}

export function widen(session: Http2Session): void {
  if (!session.destroyed) session.setLocalWindowSize(CONNECTION_WINDOW);
}
