/** One kept-alive HTTP/1.1 connection over an open socket: prepared bytes out, the body of the answer back. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

const HEAD_END = Buffer.from('\r\n\r\n');

export class Connection {
  readonly #socket: Duplex;
  #waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined;
  #chunks: Buffer[] = [];
  #have = 0;
  /** Bytes of head and body together, once the head is there. */
  #need = Number.POSITIVE_INFINITY;
  #bodyAt = 0;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed a connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.once('connect', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** The body of the answer; one request at a time. Rejects for anything but a 200 with a content-length. */
  exchange(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    if (this.#need === Number.POSITIVE_INFINITY) this.#readHead();
    if (this.#have < this.#need) return;
    const body = Buffer.concat(this.#chunks).subarray(this.#bodyAt, this.#need);
    this.#chunks = [];
    this.#have = 0;
    this.#need = Number.POSITIVE_INFINITY;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(body);
  }

  #readHead(): void {
    const seen = Buffer.concat(this.#chunks);
    this.#chunks = [seen];
    const end = seen.indexOf(HEAD_END);
    if (end === -1) return;
    const head = seen.subarray(0, end).toString('latin1');
    const length = /^content-length: (\d+)$/im.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
      this.#waiting?.reject(new Error(`an answer that was not expected: ${head.slice(0, 300)}`));
      this.#socket.destroy();
      return;
    }
    this.#bodyAt = end + HEAD_END.length;
    this.#need = this.#bodyAt + Number(length);
  }
}
