/** Joins a coordinator's connection and a stream of the tunnel, byte for byte, half-closes included; nothing is looked at. */
import type { Duplex } from 'node:stream';

export function splice(client: Duplex, stream: Duplex): void {
  // `pipe` ends the other side after an orderly end, and stops reading while the other side is full.
  client.pipe(stream).pipe(client);
  // Anything but an orderly end must not look like one. After an orderly one the other side still writes what it has.
  client.on('error', () => stream.destroy());
  client.on('close', () => {
    if (!over(client)) stream.destroy();
  });
  stream.on('error', () => client.destroy());
  stream.on('close', () => {
    if (!over(stream)) client.destroy();
  });
}

function over({ readableEnded, writableFinished }: Duplex): boolean {
  return readableEnded && writableFinished;
}
