/** One connection through a tap: two sockets, every byte passed on in order, and the cuts that were planned for it. */
import { connect, type Socket } from 'node:net';
import type { Cut } from './cut.js';
import { createCut } from './cut.js';
import type { Address, CutPlan, Direction, EndKind, TapConnection } from './ports.js';
import { flushed } from './send-queue.js';
import { createRecording, plainText, type WireRecording } from './wire-recording.js';

/** One direction: read from one socket, written to the other. */
interface Half {
  direction: Direction;
  from: Socket;
  to: Socket;
  /** Nothing passes, what comes is thrown away: this direction was ended by a cut. */
  discarding: boolean;
  /** Nothing passes, what comes is kept: silence. */
  silent: boolean;
  /** Bytes that were read when the silence fell. */
  held: Buffer[];
  /** An end that came during the silence. */
  heldEnd: boolean;
}

export interface Splice extends TapConnection {
  readonly recording: WireRecording;
  arm(cut: Cut): void;
  destroy(): void;
}

const OPPOSITE: Record<Direction, Direction> = { upstream: 'downstream', downstream: 'upstream' };

/**
 * @param elapsed milliseconds since the tap was opened
 * @param keep bytes recorded per direction
 */
export function createSplice(
  index: number,
  client: Socket,
  upstream: Address,
  elapsed: () => number,
  keep: number,
): Splice {
  const server = connect({ ...upstream, allowHalfOpen: true, noDelay: true });
  client.setNoDelay(true);
  const recording = createRecording(keep);
  const received: Record<Direction, number> = { upstream: 0, downstream: 0 };
  const delivered: Record<Direction, number> = { upstream: 0, downstream: 0 };
  const ended: Record<Direction, EndKind> = { upstream: 'open', downstream: 'open' };
  const cuts: Cut[] = [];
  const half = (direction: Direction, from: Socket, to: Socket): Half => ({
    direction,
    from,
    to,
    discarding: false,
    silent: false,
    held: [],
    heldEnd: false,
  });
  const halves: Record<Direction, Half> = {
    upstream: half('upstream', client, server),
    downstream: half('downstream', server, client),
  };
  let connected = false;

  function pass(one: Half, bytes: Buffer): void {
    if (bytes.length === 0 || !one.to.writable) return;
    delivered[one.direction] += bytes.length;
    if (!one.to.write(bytes)) {
      one.from.pause();
      one.to.once('drain', () => {
        if (!one.silent) one.from.resume();
      });
    }
  }

  function receive(one: Half, bytes: Buffer): void {
    const offset = received[one.direction];
    received[one.direction] += bytes.length;
    recording.add(one.direction, offset, bytes, elapsed());
    if (one.discarding) return;
    if (one.silent) {
      one.held.push(bytes);
      return;
    }
    let first: Cut | undefined;
    let limit = bytes.length;
    for (const cut of cuts) {
      if (cut.state !== 'armed') continue;
      if (cut.plan.direction !== one.direction) {
        cut.see(one.direction, bytes);
        continue;
      }
      const falls = cut.limit(bytes);
      if (falls === undefined) continue;
      if (falls < 0) cut.miss();
      else if (first === undefined || falls < limit) {
        first = cut;
        limit = falls;
      }
    }
    pass(one, bytes.subarray(0, limit));
    if (first !== undefined) void take(first, one, bytes.subarray(limit));
  }

  /** Ends the connection as planned; `beyond` was read but must not pass. */
  async function take(cut: Cut, one: Half, beyond: Buffer): Promise<void> {
    cut.take();
    const other = halves[OPPOSITE[one.direction]];
    const at = delivered[one.direction];
    let exact = true;
    switch (cut.plan.kind) {
      case 'silence':
        hush(other, Buffer.alloc(0));
        hush(one, beyond);
        break;
      case 'silence-one-way':
        hush(one, beyond);
        break;
      case 'half-close':
        exact = await finish(one);
        break;
      case 'fin':
        other.discarding = true;
        exact = (await Promise.all([finish(one), finish(other)])).every(Boolean);
        break;
      case 'reset':
        one.discarding = true;
        other.discarding = true;
        one.from.pause();
        other.from.pause();
        exact = at === 0 || (await flushed(one.to));
        one.to.resetAndDestroy();
        one.from.resetAndDestroy();
    }
    cut.done({ connection: index, plan: cut.plan, delivered: at, flushed: exact, at_ms: elapsed() });
  }

  function hush(one: Half, beyond: Buffer): void {
    one.silent = true;
    if (beyond.length > 0) one.held.push(beyond);
    // Like a network that drops: nothing is acknowledged beyond what the kernel had taken, and no end is seen.
    one.from.pause();
  }

  /** FIN behind what was written; what still comes is read and thrown away, since unread bytes turn a close into RST. */
  function finish(one: Half): Promise<boolean> {
    one.discarding = true;
    one.from.resume();
    return new Promise((resolve) => {
      if (one.to.destroyed) return resolve(false);
      one.to.once('finish', () => resolve(true));
      one.to.once('close', () => resolve(one.to.writableFinished));
      one.to.end();
    });
  }

  function lift(): void {
    for (const one of Object.values(halves)) {
      if (!one.silent) continue;
      one.silent = false;
      for (const bytes of one.held.splice(0)) pass(one, bytes);
      if (one.heldEnd) one.to.end();
      if (!one.to.writableNeedDrain) one.from.resume();
      if (one.from.destroyed) void propagate(one);
    }
  }

  function listen(one: Half): void {
    one.from.on('data', (bytes: Buffer) => receive(one, bytes));
    one.from.on('end', () => {
      ended[one.direction] = 'fin';
      if (one.silent) one.heldEnd = true;
      else if (!one.discarding) one.to.end();
    });
    one.from.on('error', () => {
      if (one.from === server && !connected) ended[one.direction] = 'refused';
      else if (ended[one.direction] === 'open') ended[one.direction] = 'reset';
    });
    one.from.on('close', () => void propagate(one));
  }

  /** A socket that is gone takes the other one with it, once that has got everything that was sent before. */
  async function propagate(one: Half): Promise<void> {
    const other = one.to;
    if (other.destroyed || one.silent) return;
    // After both FINs the other socket closes by itself, when its own side is done.
    if (ended[one.direction] === 'fin' && one.from.writableFinished && !one.from.errored) return;
    await flushed(other);
    other.resetAndDestroy();
  }

  client.pause();
  server.once('connect', () => {
    connected = true;
    if (!halves.upstream.silent) client.resume();
  });
  listen(halves.upstream);
  listen(halves.downstream);
  const gone = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const closed = Promise.all([gone(client), gone(server)]).then(() => {
    for (const cut of cuts) if (cut.state === 'armed') cut.miss();
  });

  const splice: Splice = {
    index,
    opened_ms: elapsed(),
    received,
    delivered,
    ended,
    closed,
    recording,
    wire: recording.chunks,
    recorded: (direction) => recording.bytes(direction),
    plain: (direction) => plainText(recording)[direction],
    arm(cut) {
      if (cut.state !== 'armed') return;
      cut.attach(splice, lift);
      const one = halves[cut.plan.direction];
      if (recording.truncated && cut.plan.at !== 'now') return cut.miss();
      // What has passed already counts too: offsets and frames are those of the whole connection.
      const past = recording.bytes(cut.plan.direction);
      cut.see(OPPOSITE[cut.plan.direction], recording.bytes(OPPOSITE[cut.plan.direction]));
      const falls = past.length > 0 || cut.plan.at === 'now' ? cut.limit(past) : undefined;
      const at = cut.plan.at === 'now' ? delivered[one.direction] : falls;
      if (falls === undefined) cuts.push(cut);
      else if (at === delivered[one.direction] && !client.destroyed && !server.destroyed) {
        void take(cut, one, Buffer.alloc(0));
      } else cut.miss();
    },
    cut(plan: CutPlan) {
      const cut = createCut(plan);
      splice.arm(cut);
      return cut;
    },
    destroy() {
      client.destroy();
      server.destroy();
    },
  };
  return splice;
}
