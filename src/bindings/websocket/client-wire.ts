/** One open connection of a client: requests told apart by their ids, streams with their credits, one end for all. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { type PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import type { ReadServerFrame, ServerFrame } from './client-frames.js';
import { letGoOfTheSilent } from './liveness.js';
import { CANCEL_STREAM, CREDIT, FIRST_CREDITS } from './names.js';
import type { Id, StreamEndReason } from './shapes.js';

/** Asked for again before the server has to hold back. */
const REFILL = FIRST_CREDITS / 2;

/** How ws calls a frame above the bound that it was opened with. */
const TOO_LONG = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

/** What waits for frames with one id. */
interface Waiting {
  result(value: unknown, bytes: number): void;
  refused(refusal: PeerRefusal): void;
  /** Absent where no stream was asked for. */
  end?(reason: StreamEndReason): void;
  lost(why: PeerUnreachable): void;
}

/** The members of a request's frame beside `jsonrpc` and `id`. */
export type RequestMembers = { method: string } & Record<string, unknown>;

export type StreamPiece = { item: unknown; bytes: number } | { end: StreamEndReason };

export class ClientWire {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #read: ReadServerFrame;
  readonly #waiting = new Map<Id, Waiting>();
  #lost: PeerUnreachable | undefined;
  #watched = false;
  #nextId = 1;
  /** Bytes of one frame. */
  #mostBytes: number;

  constructor(ws: WebSocket, socket: Duplex, read: ReadServerFrame, mostBytes: number) {
    this.#ws = ws;
    this.#socket = socket;
    this.#read = read;
    this.#mostBytes = mostBytes;
    ws.on('message', (data: RawData, binary: boolean) => this.#take(data as Buffer, binary));
    ws.on('error', (error: NodeJS.ErrnoException) =>
      this.drop(error.code === TOO_LONG ? `a frame above maxFrameBytes (${mostBytes})` : error.message),
    );
    ws.on('close', (code, reason) =>
      this.drop(`the peer closed the connection (${[code, ...words(reason)].join(': ')})`),
    );
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** From now on a frame above this many bytes ends it. */
  limit(mostBytes: number): void {
    this.#mostBytes = mostBytes;
  }

  /** From now on silence ends it, and a frame above this many bytes. */
  hold(heartbeatMs: number, mostBytes: number): void {
    this.limit(mostBytes);
    if (this.#watched) return;
    this.#watched = true;
    letGoOfTheSilent(this.#ws, this.#socket, heartbeatMs, () => this.drop('nothing came for 2.5 heartbeats'));
  }

  /** Everybody who waits learns that nothing can be concluded. */
  drop(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = new PeerUnreachable(why);
    this.#ws.terminate();
    for (const waiting of this.#waiting.values()) waiting.lost(this.#lost);
    this.#waiting.clear();
  }

  /** Rejects with PeerRefusal or PeerUnreachable; an aborted signal ends the waiting alone. */
  call(request: RequestMembers, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(new PeerUnreachable('no answer in time'));
      const settle = (act: () => void) => {
        signal.removeEventListener('abort', leave);
        act();
      };
      // One that nobody waits for any more stays open here, since its answer may still come.
      this.#ask(request, {
        result: (value) => settle(() => resolve(value)),
        refused: (refusal) => settle(() => reject(refusal)),
        lost: (why) => settle(() => reject(why)),
      });
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }

  /**
   * The items of a stream and at last its end. Throws PeerRefusal before the first item, PeerUnreachable at any time.
   * Who stops reading, or whose signal aborts, ends the stream and not the task.
   */
  async *stream(request: RequestMembers, signal: AbortSignal): AsyncGenerator<StreamPiece> {
    const ready: StreamPiece[] = [];
    let credits = FIRST_CREDITS;
    let taken = 0;
    let began = false;
    let over: Error | undefined;
    let left = false;
    let wake = () => {};
    const id = this.#ask(request, {
      result: (item, bytes) => {
        credits -= 1;
        began = true;
        if (credits < 0) this.drop('more items than there were credits for');
        else if (!left) ready.push({ item, bytes });
        wake();
      },
      refused: (refusal) => {
        over = began ? new PeerUnreachable(`a stream that broke off: ${refusal.reason}`) : refusal;
        wake();
      },
      end: (reason) => {
        ready.push({ end: reason });
        wake();
      },
      lost: (why) => {
        over = why;
        wake();
      },
    });
    const leave = () => {
      over ??= new PeerUnreachable('the reading was ended');
      wake();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      for (;;) {
        const piece = signal.aborted ? undefined : ready.shift();
        if (piece === undefined) {
          if (over !== undefined) throw over;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        yield piece;
        if ('end' in piece) return;
        taken += 1;
        if (taken < REFILL || !this.#waiting.has(id)) continue;
        credits += taken;
        this.#send({ jsonrpc: '2.0', method: CREDIT, params: { id, events: taken } });
        taken = 0;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      left = true;
      // What is under way still comes, and is passed over up to the end of the stream.
      if (this.#waiting.has(id)) this.#send({ jsonrpc: '2.0', method: CANCEL_STREAM, params: { id } });
    }
  }

  #ask(request: RequestMembers, waiting: Waiting): Id {
    const id = this.#nextId;
    this.#nextId += 1;
    if (this.#lost !== undefined) waiting.lost(this.#lost);
    else {
      this.#waiting.set(id, waiting);
      this.#send({ jsonrpc: '2.0', id, ...request });
    }
    return id;
  }

  #send(frame: Record<string, unknown>): void {
    // What is not sent any more is known by the connection's end.
    if (this.#lost === undefined) this.#ws.send(JSON.stringify(frame), () => undefined);
  }

  #take(data: Buffer, binary: boolean): void {
    if (this.#lost !== undefined) return;
    try {
      if (binary) throw new PeerUnreachable('a binary frame');
      if (data.length > this.#mostBytes)
        throw new PeerUnreachable(`a frame above maxFrameBytes (${this.#mostBytes})`);
      this.#hand(this.#read(data.toString('utf8')), data.length);
    } catch (error) {
      if (!(error instanceof PeerUnreachable)) throw error;
      this.drop(error.message);
    }
  }

  /** Throws PeerUnreachable when it is for nobody. */
  #hand(frame: ServerFrame, bytes: number): void {
    if (frame.kind === 'refusal' && frame.id === null)
      throw new PeerUnreachable(`the peer could not read a frame: ${frame.refusal.reason}`);
    const { id } = frame as { id: Id };
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw new PeerUnreachable('an answer to nothing that was asked');
    if (frame.kind === 'end' && waiting.end === undefined)
      throw new PeerUnreachable('the end of a stream that was not asked for');
    // The items of a stream leave it open; everything else is the last frame with its id.
    if (frame.kind !== 'result' || waiting.end === undefined) this.#waiting.delete(id);
    if (frame.kind === 'result') waiting.result(frame.result, bytes);
    else if (frame.kind === 'refusal') waiting.refused(frame.refusal);
    else waiting.end?.(frame.reason);
  }
}

/** A peer's words, for an error's text: a few, and nothing that moves a cursor. */
function words(reason: Buffer): string[] {
  const text = reason
    .toString('utf8')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 123);
  return text === '' ? [] : [text];
}
