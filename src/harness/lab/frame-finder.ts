/** Where frames end on the wire of one connection, in plain text or under TLS. */
import { createFramer } from './framer.js';
import type { Direction, Framer, FramerName } from './ports.js';
import { followConnection } from './tls/follow.js';

export interface FrameFinder {
  /**
   * Takes the next bytes of either direction; returns the offsets in the watched one right behind each frame that they
   * complete. Frames that share a TLS record end where that record does: between them there is no place on the wire.
   */
  push(direction: Direction, chunk: Buffer): number[];
}

export function createFrameFinder(watched: Direction, name: FramerName | (() => Framer)): FrameFinder {
  const framer = createFramer(name);
  // Chunks are what the wire has, whatever is in them.
  if (name === 'raw')
    return { push: (direction, chunk) => (direction === watched ? framer.push(chunk) : []) };
  const followed = followConnection();
  let plain = 0;
  return {
    push(direction, chunk) {
      const pieces = followed.push(direction, chunk);
      if (direction !== watched) return [];
      return pieces.flatMap(({ end, bytes, sealed }) => {
        const ends = framer.push(bytes);
        const base = plain;
        plain += bytes.length;
        return ends.map((at) => (sealed ? end : end - bytes.length + (at - base)));
      });
    },
  };
}

const UPGRADED = 'HTTP/1.1 101';

/**
 * Finds one place: `before` bytes before the end of the first plain text of the direction, at most at its beginning. On
 * a WebSocket the answer to its upgrade and its heartbeats are none: what counts is the first message.
 */
export function createAnswerFinder(watched: Direction, before: number): FrameFinder {
  const followed = followConnection();
  let messages: Framer | undefined;
  return {
    push(direction, chunk) {
      const pieces = followed.push(direction, chunk);
      if (direction !== watched) return [];
      return pieces.flatMap(({ end, bytes }) => {
        if (messages === undefined && bytes.toString('latin1', 0, UPGRADED.length) === UPGRADED)
          messages = createFramer('websocket');
        if (messages !== undefined && messages.push(bytes).length === 0) return [];
        return [end - Math.min(before, bytes.length)];
      });
    },
  };
}
