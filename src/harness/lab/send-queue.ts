/** Whether the other side's kernel has everything that we wrote: a reset throws away what is still on its way. */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { until } from './deadline.js';

/**
 * Waits until a socket's send queue is empty. On Linux the kernel says so (`/proc/net/tcp`, column tx_queue);
 * elsewhere the best that can be known is that the kernel took the bytes.
 * @returns false when it was not empty at the deadline, or the connection has gone
 */
export async function flushed(socket: Socket, deadlineMs = 2000): Promise<boolean> {
  const { localPort, remotePort } = socket;
  if (localPort === undefined || remotePort === undefined) return false;
  try {
    await until(
      async () => {
        if (socket.destroyed) throw new Error('gone');
        if (socket.writableLength > 0) return false;
        if (process.platform !== 'linux') return true;
        const queued = await sendQueue(localPort, remotePort);
        if (queued === undefined) throw new Error('gone');
        return queued === 0;
      },
      { ms: deadlineMs, everyMs: 2, what: 'an empty send queue' },
    );
    return true;
  } catch {
    // Either way the caller learns that the cut was not exact, which makes its case undetermined.
    return false;
  }
}

/** Bytes that are not acknowledged yet; undefined when there is no such connection. */
async function sendQueue(localPort: number, remotePort: number): Promise<number | undefined> {
  const ports = [localPort, remotePort].map((port) => port.toString(16).toUpperCase().padStart(4, '0'));
  const line = new RegExp(`:\\s[0-9A-F]+:${ports[0]} [0-9A-F]+:${ports[1]} [0-9A-F]{2} ([0-9A-F]{8}):`);
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const found = line.exec(await readFile(table, 'latin1').catch(() => ''));
    if (found) return Number.parseInt(found[1] as string, 16);
  }
  return undefined;
}
