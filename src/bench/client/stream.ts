/** One event stream over a socket; events are counted by their blank lines and never parsed, so that the client costs little. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

const BLANK_LINE = Buffer.from('\n\n');
const LINE_FEED = 0x0a;
/** The last chunk of a chunked body (RFC 9112 section 7.1); no event holds it, since JSON has no bare line breaks. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

export class EventStream {
  events = 0;
  readonly #socket: Duplex;
  #lastByte = 0;
  #tail = '';
  #ended = false;
  #head = '';
  #waiting: { events: number; resolve(): void; reject(error: Error): void }[] = [];

  private constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error(`a stream ended after ${this.events} events`)));
  }

  /** Sends the request; its connection serves nothing else. */
  static open(port: number, request: Buffer): EventStream {
    return EventStream.over(connect({ host: '127.0.0.1', port, noDelay: true }), request);
  }

  /** The same on a connection that stands. */
  static over(socket: Duplex, request: Buffer): EventStream {
    socket.write(request);
    return new EventStream(socket);
  }

  /** Resolves when so many events have come, the leading Task counted; rejects when the stream ends before. */
  reached(events: number): Promise<void> {
    if (this.events >= events) return Promise.resolve();
    if (this.#ended) return Promise.reject(new Error(`a stream ended after ${this.events} events`));
    return new Promise((resolve, reject) => this.#waiting.push({ events, resolve, reject }));
  }

  /** Resolves at the end of the stream; rejects when fewer events have come by then. */
  async ended(least: number): Promise<void> {
    await this.reached(least);
    if (!this.#ended) await new Promise((resolve) => this.#socket.once('close', resolve));
  }

  /** Reads nothing more: what the server sends stays in the kernel, and then with the server. */
  stop(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#head === '') {
      this.#head = chunk.subarray(0, 400).toString('latin1');
      if (!this.#head.startsWith('HTTP/1.1 200 ') || !/text\/event-stream/i.test(this.#head)) {
        this.#end(new Error(`no event stream: ${this.#head}`));
        this.#socket.destroy();
        return;
      }
    }
    if (this.#lastByte === LINE_FEED && chunk[0] === LINE_FEED) this.events += 1;
    for (let at = chunk.indexOf(BLANK_LINE); at !== -1; at = chunk.indexOf(BLANK_LINE, at + 2))
      this.events += 1;
    this.#lastByte = chunk.at(-1) ?? 0;
    this.#tail = `${this.#tail}${chunk.subarray(-LAST_CHUNK.length).toString('latin1')}`.slice(
      -LAST_CHUNK.length,
    );
    // Closed here: a server that answers keep-alive would leave it open.
    if (this.#tail === LAST_CHUNK) this.#socket.destroy();
    if (this.#waiting.length === 0) return;
    const reached = this.#waiting.filter(({ events }) => events <= this.events);
    this.#waiting = this.#waiting.filter(({ events }) => events > this.events);
    for (const { resolve } of reached) resolve();
  }

  #end(error: Error): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
