/** One connection through the stand-in: two directions, each through the toxics of the moment. */
import { createConnection, type Socket } from 'node:net';
import type { Flow, Piece, Toxic } from './toxic.js';

export interface PlacedToxic {
  name: string;
  toxic: Toxic;
  stream: 'upstream' | 'downstream';
  toxicity: number;
  attributes: Record<string, number>;
}

/** Pieces that may wait in one direction before its source is paused, unless a toxic keeps more. */
const WAITING = 4;

type Stream = PlacedToxic['stream'];

/** One direction: what waits in it, and whether anything may still come or pass. */
interface Lane {
  from: Socket;
  to: Socket;
  queue: Piece[];
  /** Nothing more comes. */
  ended: boolean;
  /** Nothing more passes. */
  closed: boolean;
  wake: () => void;
}

interface Placed {
  flow: Flow;
  /** Ends every pause at once. */
  release(): void;
  /** Whether it strikes this connection: drawn by its toxicity. */
  active: boolean;
}

const OTHER: Record<Stream, Stream> = { upstream: 'downstream', downstream: 'upstream' };

export class Connection {
  readonly #random: () => number;
  readonly #flows = new Map<PlacedToxic, Placed>();
  readonly #toxics: () => readonly PlacedToxic[];
  readonly #lanes: Record<Stream, Lane>;
  #resets = false;

  constructor(
    client: Socket,
    upstream: { host: string; port: number },
    toxics: () => readonly PlacedToxic[],
    random: () => number,
    gone: () => void,
  ) {
    this.#random = random;
    this.#toxics = toxics;
    const server = createConnection({ ...upstream, allowHalfOpen: true }).setNoDelay(true);
    client.setNoDelay(true).pause();
    const lane = (from: Socket, to: Socket): Lane => ({
      from,
      to,
      queue: [],
      ended: false,
      closed: false,
      wake: () => {},
    });
    this.#lanes = { upstream: lane(client, server), downstream: lane(server, client) };
    let open = 2;
    let connected = false;
    for (const socket of [client, server]) {
      // Whoever reads from a socket sees its end; an error on it needs no second telling.
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open -= 1;
        if (open === 0) gone();
        // Before there is a way through, the loss of either side is the loss of both.
        if (!connected) this.destroy();
      });
    }
    server.once('connect', () => {
      connected = true;
      this.#resets = this.#toxics().some(({ toxic }) => toxic.resets === true);
      this.refresh();
      void this.#pump('upstream');
      void this.#pump('downstream');
    });
  }

  /** After a toxic was added, changed or removed. */
  refresh(): void {
    const placed = this.#toxics();
    for (const [toxic, { release, active }] of this.#flows) {
      if (placed.includes(toxic)) continue;
      release();
      this.#flows.delete(toxic);
      if (toxic.toxic.removalCloses === true && active) this.#end(toxic.stream);
    }
    for (const toxic of placed) if (!this.#flows.has(toxic)) this.#place(toxic);
  }

  /** After this toxic was changed: what it holds back goes on, and its chance is drawn anew. */
  restart(placed: PlacedToxic): void {
    const one = this.#flows.get(placed);
    if (one === undefined) return;
    one.release();
    this.#begin(placed, one);
  }

  /** Both sides end now, whether anybody reads or not. */
  destroy(): void {
    for (const lane of Object.values(this.#lanes)) {
      this.#close(lane);
      lane.to.destroy();
    }
    for (const { release } of this.#flows.values()) release();
  }

  /**
   * The receiver of a direction is closed, with what was written to it; so nothing comes from it any more either, and
   * the other direction ends once what waits in it has passed. There is no half-close, as in the original.
   */
  #end(stream: Stream): void {
    const lane = this.#lanes[stream];
    if (lane.closed) return;
    this.#close(lane);
    if (this.#resets) lane.to.resetAndDestroy();
    else lane.to.destroySoon();
    const other = this.#lanes[OTHER[stream]];
    other.ended = true;
    other.wake();
  }

  #close(lane: Lane): void {
    lane.closed = true;
    lane.queue.length = 0;
    lane.wake();
  }

  #place(placed: PlacedToxic): void {
    const waiting = new Set<() => void>();
    const flow: Flow = {
      memory: {},
      random: this.#random,
      close: () => this.#end(placed.stream),
      pause: (ms) =>
        new Promise((resolve) => {
          if (ms <= 0) return resolve(true);
          const done = (elapsed: boolean) => {
            clearTimeout(timer);
            waiting.delete(stop);
            resolve(elapsed);
          };
          const stop = () => done(false);
          const timer = setTimeout(() => done(true), ms);
          waiting.add(stop);
        }),
    };
    const release = () => {
      for (const stop of [...waiting]) stop();
    };
    const one = { flow, active: false, release };
    this.#flows.set(placed, one);
    this.#begin(placed, one);
  }

  #begin(placed: PlacedToxic, one: Placed): void {
    one.active = this.#random() < placed.toxicity;
    if (one.active) placed.toxic.start?.(placed.attributes, one.flow);
  }

  async #pump(stream: Stream): Promise<void> {
    const lane = this.#lanes[stream];
    const { from, to, queue } = lane;
    from.on('data', (data: Buffer) => {
      if (lane.ended || lane.closed) return;
      queue.push({ data, at: performance.now() });
      if (queue.length >= this.#room(stream)) from.pause();
      lane.wake();
    });
    // A reset, too, ends only what comes: what has come still passes.
    for (const event of ['end', 'close']) {
      from.once(event, () => {
        lane.ended = true;
        lane.wake();
      });
    }
    from.resume();
    while (!lane.closed) {
      const piece = queue.shift();
      if (piece !== undefined) {
        if (queue.length < this.#room(stream) / 2) from.resume();
        for await (const out of this.#through(piece, stream, 0)) await write(to, out.data);
      } else if (lane.ended) {
        for (const [placed, { flow, active }] of this.#flows) {
          if (active && placed.stream === stream) await placed.toxic.end?.(placed.attributes, flow);
        }
        this.#end(stream);
      } else {
        await new Promise<void>((resolve) => {
          lane.wake = resolve;
        });
      }
    }
  }

  #room(stream: Stream): number {
    const wanted = [...this.#flows.keys()].map(
      (one) => (one.stream === stream && one.toxic.waiting) || WAITING,
    );
    return Math.max(WAITING, ...wanted);
  }

  async *#through(piece: Piece, stream: Stream, from: number): AsyncGenerator<Piece> {
    const chain = [...this.#flows].filter(([placed, { active }]) => active && placed.stream === stream);
    const link = chain[from];
    if (link === undefined) {
      yield piece;
      return;
    }
    const [placed, { flow }] = link;
    for await (const out of placed.toxic.piece(piece, placed.attributes, flow))
      yield* this.#through(out, stream, from + 1);
  }
}

/** Resolves when the socket takes more, or has gone. */
function write(to: Socket, data: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (!to.writable || to.write(data)) return resolve();
    const go = () => {
      to.off('drain', go).off('close', go);
      resolve();
    };
    to.on('drain', go).on('close', go);
  });
}
