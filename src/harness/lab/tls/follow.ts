/** Follows both directions of one connection: as they are, or through TLS with the logged secrets. */
import type { Direction } from '../ports.js';
import { cipherSuite, clientRandom, looksLikeTls } from './hello.js';
import { type KeyLog, keyLog } from './key-log.js';
import { createRecordReader, type PlainPiece } from './record-reader.js';

/** Enough of a direction's beginning to hold its hello. */
const HELLO_BYTES = 2048;

export interface Followed {
  /** Takes the next bytes of a direction; gives the plain text that they complete, and where it ends on the wire. */
  push(direction: Direction, chunk: Buffer): PlainPiece[];
}

export function followConnection(log: KeyLog = keyLog): Followed {
  const first: Record<Direction, Buffer> = { upstream: Buffer.alloc(0), downstream: Buffer.alloc(0) };
  const seen: Record<Direction, number> = { upstream: 0, downstream: 0 };
  const secret = (side: 'client' | 'server') => () => {
    const random = clientRandom(first.upstream);
    return random === undefined ? undefined : log.secret(side, random);
  };
  const suite = () => cipherSuite(first.downstream);
  const readers = {
    upstream: createRecordReader(suite, secret('client')),
    downstream: createRecordReader(suite, secret('server')),
  };
  return {
    push(direction, chunk) {
      const held = first[direction];
      if (held.length < HELLO_BYTES)
        first[direction] = Buffer.concat([held, chunk.subarray(0, HELLO_BYTES - held.length)]);
      seen[direction] += chunk.length;
      if (looksLikeTls(first.upstream) !== true)
        return [{ end: seen[direction], bytes: chunk, sealed: false }];
      return readers[direction].push(chunk);
    },
  };
}
