/** One client connection of an experiment: what came back, and how it ended. */
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { DeadlinePassed, until } from '../../../lab/deadline.js';
import type { Address } from '../../../lab/ports.js';

/** What an experiment saw; nothing in it depends on how fast the host is. */
export type Observation = Record<string, number | string | boolean>;

export interface Conversation {
  send(bytes: Buffer): void;
  /** Half-closes. */
  end(): void;
  askEchoToEnd(): void;
  bytes(): Buffer;
  /** Milliseconds from the dial to what came last. From before the dial: our own loop may learn late that it succeeded. */
  elapsed(): number;
  received(count: number): Promise<void>;
  /** Waits for `count` bytes or the end: `open`, `fin`, `reset`. */
  outcome(count: number, ms?: number): Promise<{ bytes: number; end: string }>;
  /** Whether that much is taken although the other side does not get it. */
  swallows(most: number): Promise<boolean>;
}

const DEADLINE = 10_000;
const dialled = new Set<Socket>();

export const lower = (measured: number, least: number): boolean => measured < least - 2;

export function hangUp(): void {
  for (const socket of dialled) socket.destroy();
  dialled.clear();
}

export async function converse(address: Address): Promise<Conversation> {
  const started = performance.now();
  const socket = createConnection({ ...address, allowHalfOpen: true, noDelay: true });
  dialled.add(socket);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let end = 'open';
  let wake = () => {};
  await once(socket, 'connect');
  let at = started;
  const saw = (how: string) => {
    if (end === 'open') end = how;
    at = performance.now();
    wake();
  };
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    at = performance.now();
    wake();
  });
  socket.on('end', () => saw('fin'));
  socket.on('error', (error: NodeJS.ErrnoException) =>
    saw(error.code === 'ECONNRESET' ? 'reset' : String(error.code)),
  );
  const wait = (enough: () => boolean, ms: number, what: string) =>
    until(enough, {
      ms,
      what,
      wake: (again) => {
        wake = again;
        return () => {
          wake = () => {};
        };
      },
    });
  return {
    send: (data) => void socket.write(data),
    end: () => void socket.end(),
    askEchoToEnd: () => void socket.write(Buffer.of(END_ECHO)),
    bytes: () => Buffer.concat(chunks),
    elapsed: () => at - started,
    received: (count) => wait(() => bytes >= count, DEADLINE, `${count} bytes`).then(() => undefined),
    async outcome(count, ms = DEADLINE) {
      try {
        await wait(() => end !== 'open' || bytes >= count, ms, 'bytes or an end');
        // An end may follow right behind the last byte.
        if (end === 'open') await wait(() => end !== 'open', 100, 'an end');
      } catch (error) {
        if (!(error instanceof DeadlinePassed)) throw error;
      }
      return { bytes, end };
    },
    async swallows(most) {
      const block = Buffer.alloc(256 * 1024);
      for (let sent = 0; sent < most; sent += block.length) {
        if (socket.write(block)) continue;
        try {
          await until(() => socket.writableLength === 0, { ms: 500, what: 'room', everyMs: 5 });
        } catch (error) {
          if (error instanceof DeadlinePassed) return false;
          throw error;
        }
      }
      return true;
    },
  };
}

const END_ECHO = 0x04;

/** The peer of the experiments: sends back what it reads, and ends its side when it reads END_ECHO. */
export async function startEndingEcho(): Promise<{ address: Address; close(): void }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    dialled.add(socket);
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('data', (data: Buffer) => {
      if (data.at(-1) === END_ECHO) socket.end();
      else if (!socket.write(data)) {
        socket.pause();
        socket.once('drain', () => socket.resume());
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  return { address: { host: address, port }, close: () => void server.close() };
}

/** `closed` stands for any end: a kernel turns a close into RST where something was unread. */
export function agrees(expected: Observation, seen: Observation): boolean {
  const names = new Set([...Object.keys(expected), ...Object.keys(seen)]);
  return [...names].every(
    (name) =>
      expected[name] === seen[name] ||
      (expected[name] === 'closed' && (seen[name] === 'fin' || seen[name] === 'reset')),
  );
}
