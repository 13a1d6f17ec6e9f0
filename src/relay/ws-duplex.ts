/** A WebSocket's binary messages as one stream of bytes: back-pressure both ways, one system call per message. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { binaryFrame } from './frame.js';

/** Longest message. */
const MESSAGE_BYTES = 64 * 1024;

/** A message that is never part of the bytes: one direction is done, as by a FIN, and the other goes on. */
const END = Buffer.alloc(0);

export class WsDuplex extends Duplex {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #halves: boolean;
  readonly #masked: boolean;
  /** The other side has said that it is done. */
  #over = false;

  /**
   * `socket` is the connection under the open WebSocket, which a `client` has dialled. With `halves` each direction ends
   * by itself, by an empty message; a WebSocket has no such thing of its own.
   */
  constructor(ws: WebSocket, socket: Socket, { client = false, halves = false } = {}) {
    super({ allowHalfOpen: halves });
    this.#ws = ws;
    this.#socket = socket;
    this.#halves = halves;
    this.#masked = client;
    socket.setNoDelay(true);
    ws.on('message', (data: RawData, binary: boolean) => {
      if (!binary) {
        this.destroy(new Error('a text message on a binary tunnel'));
        return;
      }
      const bytes = data as Buffer;
      if (bytes.length === 0) {
        if (halves && !this.#over) {
          this.#over = true;
          this.push(null);
        }
      } else if (this.#over) this.destroy(new Error('a message behind the end'));
      else if (!this.push(bytes)) ws.pause();
    });
    // The end of a WebSocket says nothing about the streams inside it: theirs is told by their own framing.
    ws.on('close', () => {
      // After both ends what came last may still wait here for a slow reader.
      if (!(this.#over && this.writableFinished)) this.destroy();
    });
    ws.on('error', (error: Error) => this.destroy(error));
  }

  override _read(): void {
    if (this.#ws.isPaused) this.#ws.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send([chunk], chunk.length, done);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    const all = chunks.map(({ chunk }) => chunk);
    const length = all.reduce((sum, chunk) => sum + chunk.length, 0);
    this.#send(length > MESSAGE_BYTES ? [Buffer.concat(all, length)] : all, length, done);
  }

  /** The library's own sender would mask byte by byte, and write header and body apart; both take whole frames only. */
  #send(chunks: readonly Buffer[], length: number, done: (error?: Error | null) => void): void {
    if (length === 0) {
      done();
      return;
    }
    if (this.#ws.readyState !== this.#ws.OPEN) {
      done(new Error('the WebSocket is closed'));
      return;
    }
    const sent = (error?: Error | null) => done(error ?? null);
    if (length <= MESSAGE_BYTES) {
      this.#socket.write(binaryFrame(chunks, length, this.#masked), sent);
      return;
    }
    // The other side bounds what it takes as one message; a TLS stack hands on a large write in one piece.
    const [chunk = END] = chunks;
    let at = 0;
    for (; length - at > MESSAGE_BYTES; at += MESSAGE_BYTES)
      this.#socket.write(binaryFrame([chunk.subarray(at, at + MESSAGE_BYTES)], MESSAGE_BYTES, this.#masked));
    this.#socket.write(binaryFrame([chunk.subarray(at)], length - at, this.#masked), sent);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#halves && this.#ws.readyState === this.#ws.OPEN) {
      this.#ws.send(END, { binary: true }, (error) => done(error ?? null));
      return;
    }
    this.#ws.close(1000);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // Both directions are done: what was sent last is not torn away from under its reader.
    if (this.#over && this.writableFinished) this.#ws.close(1000);
    else this.#ws.terminate();
    done(error);
  }
}
