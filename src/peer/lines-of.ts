/** The lines of a local socket. They end with it, in whatever way it ends: who needs a last line looks for one. */
import type { Socket } from 'node:net';

/** A line longer than `most` characters ends the socket. */
export async function* linesOf(socket: Socket, most: number): AsyncGenerator<string> {
  let rest = '';
  try {
    socket.setEncoding('utf8');
    // Whoever has read its one line may still want to answer.
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > most) return;
    }
  } catch {
    // Destroyed by either side: nothing more comes.
  }
}
