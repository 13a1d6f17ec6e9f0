/** A request's body, bounded: more than the limit is never held, and the connection that sent it is not kept. */
import type { IncomingMessage } from 'node:http';

/** undefined when the body is longer than `limit` bytes. Rejects when the client goes away. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      // The rest is not taken from the network: it is answered, and the connection ends with the answer.
      request.pause();
      resolve(undefined);
    });
    request.once('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)),
    );
    request.once('error', reject);
    request.once('close', () => {
      if (!request.readableEnded) reject(new Error('the client went away while it was sending'));
    });
  });
}
