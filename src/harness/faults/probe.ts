/** One connection that is made only to see what a link does to it. */
import { createConnection } from 'node:net';
import { DeadlinePassed, until } from '../lab/deadline.js';
import type { Address } from '../lab/ports.js';

export interface Probed {
  /** Bytes that came back. */
  bytes: number;
  end: 'open' | 'fin' | 'reset' | 'refused';
  /** Milliseconds from the sending to the last thing that was seen. */
  ms: number;
  /** The same from the dial on: a link may know of the connection before we learn that it stands. */
  sinceDial: number;
}

/**
 * Connects, sends `send` bytes to an echo peer and watches until all are back and nothing more is awaited, the
 * connection has ended, or `ms` have passed.
 * @param options.close half-closes once everything is back, and waits for the end
 * @param options.end waits for the end even when everything is back
 */
export async function probe(
  address: Address,
  options: { send: number; ms: number; close?: boolean; end?: boolean },
): Promise<Probed> {
  const dialled = performance.now();
  const socket = createConnection({ ...address, allowHalfOpen: true, noDelay: true });
  const seen: Probed = { bytes: 0, end: 'open', ms: 0, sinceDial: 0 };
  let started = dialled;
  let connected = false;
  let closing = false;
  let wake = () => {};
  const saw = (end?: Probed['end']) => {
    if (end !== undefined && seen.end === 'open') seen.end = end;
    const now = performance.now();
    seen.ms = now - started;
    seen.sinceDial = now - dialled;
    wake();
  };
  socket.once('connect', () => {
    connected = true;
    started = performance.now();
    if (options.send > 0) socket.write(Buffer.alloc(options.send, 'o'));
    saw();
  });
  socket.on('data', (chunk: Buffer) => {
    seen.bytes += chunk.length;
    if (options.close === true && !closing && seen.bytes >= options.send) {
      closing = true;
      started = performance.now();
      socket.end();
    }
    saw();
  });
  socket.once('end', () => saw('fin'));
  socket.once('error', () => saw(connected ? 'reset' : 'refused'));
  const enough = () =>
    seen.end !== 'open' ||
    (connected && seen.bytes >= options.send && options.close !== true && options.end !== true);
  try {
    await until(enough, {
      ms: options.ms,
      what: 'the probe',
      wake: (again) => {
        wake = again;
        return () => {
          wake = () => {};
        };
      },
    });
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
  } finally {
    socket.destroy();
  }
  return { ...seen };
}
