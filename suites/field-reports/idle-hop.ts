/** A hop that ends whatever was quiet for too long, as balancers and proxies do. */
import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../src/harness/lab/ports.js';

export interface IdleHop {
  readonly address: Address;
  /** Connections that came. */
  opened(): number;
  /** Of them, those that it has ended. */
  idled(): number;
  close(): Promise<void>;
}

/** Any byte in either direction counts. */
export async function openIdleHop(to: Address, idleMs: number): Promise<IdleHop> {
  const sockets = new Set<Socket>();
  let opened = 0;
  let idled = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    opened += 1;
    const far = connect({ ...to, allowHalfOpen: true, noDelay: true });
    const end = () => {
      near.destroy();
      far.destroy();
    };
    const timer = setTimeout(() => {
      idled += 1;
      end();
    }, idleMs);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('data', () => timer.refresh()).on('error', end);
      socket.once('close', () => {
        clearTimeout(timer);
        sockets.delete(socket);
        end();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: { host: '127.0.0.1', port: (server.address() as { port: number }).port },
    opened: () => opened,
    idled: () => idled,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
