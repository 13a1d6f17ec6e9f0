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

/** Pieces that may wait in one direction before its source is paused. */
const MAX_WAITING = 1024;

export class Connection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #random: () => number;
  readonly #flows = new Map<PlacedToxic, { flow: Flow; release(): void; active: boolean }>();
  readonly #toxics: () => readonly PlacedToxic[];
  #closed = false;

  constructor(
    client: Socket,
    upstream: { host: string; port: number },
    toxics: () => readonly PlacedToxic[],
    random: () => number,
    gone: () => void,
  ) {
    this.#client = client;
    this.#random = random;
    this.#toxics = toxics;
    this.#server = createConnection({ ...upstream, allowHalfOpen: true }).setNoDelay(true);
    client.setNoDelay(true);
    for (const socket of [client, this.#server]) {
      // A reset of one side is the end of both, as in the original.
      socket
        .on('error', () => this.close('fin'))
        .on('close', () => {
          this.close('fin');
          gone();
        });
    }
    this.#server.once('connect', () => {
      this.refresh();
      void this.#pump(client, this.#server, 'upstream');
      void this.#pump(this.#server, client, 'downstream');
    });
  }

  /** After a toxic was added, changed or removed. */
  refresh(): void {
    const placed = this.#toxics();
    for (const [toxic, { release }] of this.#flows) {
      if (placed.includes(toxic)) continue;
      release();
      this.#flows.delete(toxic);
      if (toxic.toxic.removalCloses === true) this.close('fin');
    }
    for (const toxic of placed) if (!this.#flows.has(toxic)) this.#place(toxic);
  }

  close(how: 'fin' | 'reset'): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { release } of this.#flows.values()) release();
    for (const socket of [this.#client, this.#server]) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroySoon();
    }
  }

  #place(placed: PlacedToxic): void {
    const waiting = new Set<() => void>();
    const flow: Flow = {
      memory: {},
      random: this.#random,
      close: (how) => this.close(how),
      pause: (ms) =>
        new Promise((resolve) => {
          if (ms <= 0) return resolve();
          const done = () => {
            clearTimeout(timer);
            waiting.delete(done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          waiting.add(done);
        }),
    };
    // Drawn once per connection, when the toxic begins on it.
    const active = this.#random() < placed.toxicity;
    this.#flows.set(placed, { flow, active, release: () => void [...waiting].map((done) => done()) });
    if (active) placed.toxic.start?.(placed.attributes, flow);
  }

  async #pump(from: Socket, to: Socket, stream: PlacedToxic['stream']): Promise<void> {
    const queue: Piece[] = [];
    let ended = false;
    let wake = () => {};
    from.on('data', (data: Buffer) => {
      queue.push({ data, at: performance.now() });
      if (queue.length >= MAX_WAITING) from.pause();
      wake();
    });
    from.on('end', () => {
      ended = true;
      wake();
    });
    while (!this.#closed) {
      const piece = queue.shift();
      if (piece !== undefined) {
        if (queue.length < MAX_WAITING / 2) from.resume();
        for await (const out of this.#through(piece, stream, 0))
          await write(to, out.data, () => this.#closed);
      } else if (ended) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    for (const [placed, { flow, active }] of this.#flows) {
      if (active && placed.stream === stream) await placed.toxic.end?.(placed.attributes, flow);
    }
    // No half-close: an end in one direction ends both (Toxiproxy's own behaviour).
    this.close('fin');
  }

  async *#through(piece: Piece, stream: PlacedToxic['stream'], from: number): AsyncGenerator<Piece> {
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

function write(to: Socket, data: Buffer, closed: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (closed() || to.destroyed) return resolve();
    if (to.write(data)) return resolve();
    const go = () => {
      to.off('drain', go).off('close', go);
      resolve();
    };
    to.on('drain', go).on('close', go);
  });
}
