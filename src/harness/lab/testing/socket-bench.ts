/** Servers, taps and sockets of one test, and what each end of a connection sees. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '../../seed.js';
import type { Address, Tap } from '../ports.js';
import { openTap } from '../tap.js';

/** What one end of a connection saw. */
export interface Seen {
  socket: Socket;
  bytes: () => Buffer;
  /** `fin`, `close` or an error code. */
  ended: Promise<string>;
}

export function watch(socket: Socket): Seen {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<string>((resolve) => {
    socket.once('end', () => resolve('fin'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.once('close', () => resolve('close'));
  });
  return { socket, bytes: () => Buffer.concat(chunks), ended };
}

/** Writes in random pieces, honouring back-pressure, then half-closes. */
export async function send(socket: Socket, bytes: Buffer, random: Random): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const size = random.int(1, random.pick([10, 1000, 100_000]));
    if (!socket.write(bytes.subarray(at, at + size))) {
      await new Promise((resolve) => socket.once('drain', resolve));
    }
    at += size;
  }
  socket.end();
}

export interface SocketBench {
  readonly taps: Tap[];
  serve(handler: (socket: Socket) => void): Promise<Address>;
  tapTo(address: Address, options?: { record_bytes?: number }): Promise<Tap>;
  dial(address: Address): Socket;
  /** For `afterEach`. */
  clear(): Promise<void>;
}

export function socketBench(): SocketBench {
  const servers: Server[] = [];
  const taps: Tap[] = [];
  const sockets: Socket[] = [];
  const keep = (socket: Socket) => {
    sockets.push(socket);
    return socket.on('error', () => undefined);
  };
  return {
    taps,
    async serve(handler) {
      const server = createServer({ allowHalfOpen: true }, (socket) => handler(keep(socket)));
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
    },
    async tapTo(address, options = {}) {
      const tap = await openTap(address, options);
      taps.push(tap);
      return tap;
    },
    dial: (address) => keep(connect({ ...address, allowHalfOpen: true })),
    async clear() {
      for (const socket of sockets.splice(0)) socket.destroy();
      await Promise.all(taps.splice(0).map((tap) => tap.close()));
      await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
