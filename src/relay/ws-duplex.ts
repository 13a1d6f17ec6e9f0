/** A WebSocket's binary messages as one stream of bytes: back-pressure both ways, one system call per tick. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

/** Longest message. */
const MESSAGE_BYTES = 64 * 1024;

export class WsDuplex extends Duplex {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  #corked = false;

  /** `socket` is the connection under the open WebSocket. */
  constructor(ws: WebSocket, socket: Socket) {
    super({ allowHalfOpen: false });
    this.#ws = ws;
    this.#socket = socket;
    socket.setNoDelay(true);
    ws.on('message', (data: RawData, binary: boolean) => {
      if (!binary) {
        this.destroy(new Error('a text message on a binary tunnel'));
        return;
      }
      if (!this.push(data as Buffer)) ws.pause();
    });
    // The end of a WebSocket says nothing about the streams inside it: theirs is told by their own framing.
    ws.on('close', () => this.destroy());
    ws.on('error', (error: Error) => this.destroy(error));
  }

  override _read(): void {
    if (this.#ws.isPaused) this.#ws.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#ws.readyState !== this.#ws.OPEN) {
      done(new Error('the WebSocket is closed'));
      return;
    }
    this.#cork();
    // The other side bounds what it takes as one message; a TLS stack hands on a large write in one piece.
    let at = 0;
    for (; chunk.length - at > MESSAGE_BYTES; at += MESSAGE_BYTES)
      this.#ws.send(chunk.subarray(at, at + MESSAGE_BYTES), { binary: true });
    this.#ws.send(chunk.subarray(at), { binary: true }, (error) => done(error ?? null));
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: () => void): void {
    this.#ws.close(1000);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ws.terminate();
    done(error);
  }

  /** Header and body of a frame are two writes: held together until the tick is over. */
  #cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#corked = false;
      this.#socket.uncork();
    });
  }
}
