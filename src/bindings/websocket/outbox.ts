/** What a connection still has to send: many frames in one system call, and no reading while the other side does not take its answers. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { textFrames } from './text-frames.js';

export interface Outbox {
  send(text: string): void;
  /** Resolves when the kernel has taken them, or the connection is gone. */
  sendAll(texts: readonly string[]): Promise<void>;
  /** After what was sent before; `why` is for whoever reads the other side's log, at most 123 bytes. */
  close(code: number, why: string): void;
}

/** Answers that wait for a reader who sends requests and takes nothing. */
const FULL_BYTES = 1024 * 1024;

export function openOutbox(ws: WebSocket, socket: Duplex): Outbox {
  let corked = false;
  const cork = () => {
    if (corked) return;
    corked = true;
    socket.cork();
    setImmediate(() => {
      corked = false;
      socket.uncork();
    });
  };
  const resume = () => {
    if (ws.isPaused && ws.bufferedAmount < FULL_BYTES) ws.resume();
  };
  const isOpen = () => ws.readyState === ws.OPEN;
  return {
    send(text) {
      if (!isOpen()) return;
      cork();
      ws.send(text, resume);
      if (ws.bufferedAmount >= FULL_BYTES) ws.pause();
    },
    sendAll(texts) {
      if (!isOpen()) return Promise.resolve();
      return new Promise((resolve) => {
        cork();
        // Past ws, which makes several writes of each frame: without compression it keeps no queue that this could overtake.
        // Also with an error: the connection is gone, and its close ends the stream.
        socket.write(textFrames(texts), () => resolve());
      });
    },
    close(code, why) {
      ws.close(code, why);
    },
  };
}
