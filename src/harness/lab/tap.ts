/** Our own splice on one link: records both directions, and ends a connection exactly where a plan says. */
import { createServer, type Socket } from 'node:net';
import { type Cut, createCut } from './cut.js';
import { until } from './deadline.js';
import type { Address, Tap } from './ports.js';
import { createSplice, type Splice } from './splice.js';
import { printRecording } from './wire-recording.js';

const RECORD_BYTES = 2 * 1024 * 1024;

/**
 * Listens on a free port of the loopback interface and splices every connection to `upstream`.
 * @example
 * const tap = await openTap(executor);
 * const cut = tap.arm({ kind: 'reset', direction: 'downstream', at: { frame: 3, framer: 'sse' } });
 * // … connect to tap.address …
 * if (!(await cut.verify())) throw new Undetermined('the cut did not take');
 */
export async function openTap(upstream: Address, options: { record_bytes?: number } = {}): Promise<Tap> {
  const opened = performance.now();
  const elapsed = () => performance.now() - opened;
  const connections: Splice[] = [];
  const planned = new Map<number, Cut[]>();
  const waiters = new Set<() => void>();
  let target = upstream;

  function accept(client: Socket): void {
    const index = connections.length;
    const splice = createSplice(index, client, target, elapsed, options.record_bytes ?? RECORD_BYTES);
    connections.push(splice);
    for (const cut of planned.get(index) ?? []) splice.arm(cut);
    planned.delete(index);
    for (const wake of waiters) wake();
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = { host: '127.0.0.1', port: (server.address() as { port: number }).port };

  return {
    address,
    connections,
    arm(plan, connection = 'next') {
      const cut = createCut(plan);
      const index = connection === 'next' ? connections.length : connection;
      const present = connections[index];
      if (present) present.arm(cut);
      else planned.set(index, [...(planned.get(index) ?? []), cut]);
      return cut;
    },
    connection: (index, deadlineMs = 10_000) =>
      until(() => connections[index], {
        ms: deadlineMs,
        what: `connection ${index} on the tap`,
        wake: (again) => {
          waiters.add(again);
          return () => waiters.delete(again);
        },
      }),
    redirect(to) {
      target = to;
    },
    transcript() {
      return connections
        .map(({ index, recording, ended, received }) =>
          printRecording(
            `connection ${index}: client ${ended.upstream} after ${received.upstream} bytes, ` +
              `server ${ended.downstream} after ${received.downstream} bytes`,
            recording,
          ),
        )
        .join('\n\n');
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.destroy();
      await Promise.all([closed, ...connections.map((connection) => connection.closed)]);
    },
  };
}
