/** Follows both directions of one connection down to its plain text: through TLS, and through a CONNECT with TLS inside. */
import type { Direction } from '../ports.js';
import { cipherSuite, clientRandom, looksLikeTls } from './hello.js';
import { type KeyLog, keyLog } from './key-log.js';
import { createRecordReader, type PlainPiece } from './record-reader.js';

/** Enough of a direction's beginning to hold its hello. */
const HELLO_BYTES = 2048;
/** A head longer than this is none that a relay takes. */
const MAX_HEAD = 16 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CONNECT = Buffer.from('CONNECT ');

export interface Followed {
  /** Takes the next bytes of a direction; gives the plain text that they complete, and where it ends on the wire. */
  push(direction: Direction, chunk: Buffer): PlainPiece[];
}

export function followConnection(log: KeyLog = keyLog): Followed {
  const outer = followTls(log);
  let inner: ReturnType<typeof beyondConnect> | undefined;
  let looked = false;
  return {
    push(direction, chunk) {
      return outer.push(direction, chunk).flatMap((piece) => {
        if (piece.bytes.length === 0) return [];
        if (!looked && direction === 'upstream') {
          looked = true;
          if (piece.bytes.subarray(0, CONNECT.length).equals(CONNECT)) inner = beyondConnect(log);
        }
        return inner === undefined ? [piece] : inner(direction, piece);
      });
    },
  };
}

/** Behind the two heads of a CONNECT a connection of its own begins; its pieces end where the outer ones did. */
function beyondConnect(log: KeyLog): (direction: Direction, piece: PlainPiece) => PlainPiece[] {
  const tunnelled = followTls(log);
  const heads: Record<Direction, Buffer | undefined> = {
    upstream: Buffer.alloc(0),
    downstream: Buffer.alloc(0),
  };
  return (direction, { bytes, end }) => {
    const head = heads[direction];
    let rest = bytes;
    if (head !== undefined) {
      const all = Buffer.concat([head, bytes]);
      const at = all.indexOf(END_OF_HEAD);
      if (at === -1) {
        heads[direction] = all.length > MAX_HEAD ? undefined : all;
        return [];
      }
      heads[direction] = undefined;
      rest = all.subarray(at + END_OF_HEAD.length);
      if (rest.length === 0) return [];
    }
    return tunnelled.push(direction, rest).map((piece) => ({ ...piece, end, sealed: true }));
  };
}

function followTls(log: KeyLog): Followed {
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
