/** Framers by name. */
import type { Framer, FramerName } from './ports.js';
import { createSseFramer } from './sse-framer.js';
import { createWebSocketFramer } from './websocket-framer.js';

const framers: Record<FramerName, () => Framer> = {
  sse: createSseFramer,
  websocket: createWebSocketFramer,
  raw: createRawFramer,
};

export function createFramer(framer: FramerName | (() => Framer)): Framer {
  return typeof framer === 'function' ? framer() : framers[framer]();
}

function createRawFramer(): Framer {
  let end = 0;
  return {
    push(chunk) {
      end += chunk.length;
      return [end];
    },
  };
}
