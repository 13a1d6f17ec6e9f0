/** One WebSocket of the client's: prepared frames out; answers come back whole, items of a stream are only counted. */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const TEXT = 0x81;
/** Of an item's frame: `{"jsonrpc":"2.0","id":…`; the end of the stream has a method in that place. */
const ID_AT = '{"jsonrpc":"2.0","'.length;
const ID = 'i'.charCodeAt(0);

export class FrameConnection {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #upgraded = false;
  #items = 0;
  #ended: Error | undefined;
  #waiting: { text(payload: Buffer): void; failed(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', ({ message }) => this.#fail(message));
    socket.on('close', () => this.#fail('the connection ended'));
  }

  /** Sends the upgrade; what answers it shows with the first frame. */
  static open(port: number, upgrade: Buffer): Promise<FrameConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.write(upgrade);
        resolve(new FrameConnection(socket));
      });
    });
  }

  /** The next text frame's payload. */
  exchange(frame: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const text = (payload: Buffer) => {
        this.#waiting = undefined;
        resolve(payload);
      };
      this.#ask(frame, { text, failed: reject });
    });
  }

  /** How many items the stream has had at its end frame; the connection is closed then. */
  items(frames: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const text = (payload: Buffer) => {
        if (payload[ID_AT] === ID) {
          this.#items += 1;
          return;
        }
        this.#waiting = undefined;
        resolve(this.#items);
        this.close();
      };
      this.#ask(frames, { text, failed: reject });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(frames: Buffer, waiting: { text(payload: Buffer): void; failed(error: Error): void }): void {
    if (this.#ended !== undefined) {
      waiting.failed(this.#ended);
      return;
    }
    this.#waiting = waiting;
    this.#socket.write(frames);
    // What came before anybody asked.
    this.#take(Buffer.alloc(0));
  }

  #fail(why: string): void {
    this.#ended ??= new Error(`${why} after ${this.#items} items`);
    this.#waiting?.failed(this.#ended);
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = bytes;
    if (!this.#upgraded) {
      const at = bytes.indexOf(HEAD_END);
      if (at === -1) return;
      const head = bytes.toString('latin1', 0, at);
      if (!head.startsWith('HTTP/1.1 101 ')) {
        this.#fail(`no WebSocket: ${head.slice(0, 300)}`);
        return;
      }
      this.#upgraded = true;
      bytes = bytes.subarray(at + HEAD_END.length);
    }
    let at = 0;
    while (this.#waiting !== undefined) {
      const frame = frameAt(bytes, at);
      if (frame === undefined) break;
      const isText = bytes[at] === TEXT;
      at = frame.end;
      if (isText) this.#waiting.text(bytes.subarray(frame.payload, frame.end));
    }
    this.#rest = bytes.subarray(at);
  }
}

/** undefined while it is not whole. */
function frameAt(bytes: Buffer, at: number): { payload: number; end: number } | undefined {
  if (bytes.length < at + 2) return undefined;
  const short = (bytes[at + 1] as number) & 0x7f;
  const payload = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
  if (bytes.length < payload) return undefined;
  const length =
    short === 126
      ? bytes.readUInt16BE(at + 2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(at + 2))
        : short;
  return bytes.length < payload + length ? undefined : { payload, end: payload + length };
}
