/** Follows HTTP/1.1 responses on a connection, byte by byte, and says which bytes are body: RFC 9112 sections 6 and 7. */

/** A piece of a body: where it lies in the stream, and whether a new body begins with it. */
export interface BodyPiece {
  offset: number;
  bytes: Buffer;
  first: boolean;
  contentType: string;
}

/** A head or a chunk line longer than this is no HTTP that we follow. */
const MAX_LINE = 64 * 1024;

type State =
  | 'head'
  | 'length'
  | 'chunk-size'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailer'
  | 'until-close'
  | 'lost';

/** Returns a function that takes the next bytes and gives the body pieces in them. Bytes that are no HTTP give none, for ever. */
export function followHttpBodies(): (chunk: Buffer) => BodyPiece[] {
  let state: State = 'head';
  let position = 0;
  let line = '';
  let left = 0;
  let first = true;
  let contentType = '';

  /** Consumes up to and including LF; returns the line without its end once it is whole. */
  function takeLine(chunk: Buffer, from: number): { next: number; whole: string | undefined } {
    const end = chunk.indexOf(0x0a, from);
    const stop = end === -1 ? chunk.length : end + 1;
    line += chunk.toString('latin1', from, stop);
    if (line.length > MAX_LINE) state = 'lost';
    if (end === -1) return { next: stop, whole: undefined };
    const whole = line.replace(/\r?\n$/, '');
    line = '';
    return { next: stop, whole };
  }

  let head: string[] = [];

  function headLine(whole: string): void {
    if (head.length === 0 && whole === '') return;
    if (head.length === 0 && !/^HTTP\/1\.[01] \d{3}/.test(whole)) {
      state = 'lost';
      return;
    }
    if (whole !== '') {
      head.push(whole);
      return;
    }
    const status = Number(head[0]?.slice(9, 12));
    const fields = new Map(
      head.slice(1).map((text) => {
        const colon = text.indexOf(':');
        return [
          text.slice(0, colon).trim().toLowerCase(),
          text
            .slice(colon + 1)
            .trim()
            .toLowerCase(),
        ] as const;
      }),
    );
    head = [];
    first = true;
    contentType = fields.get('content-type') ?? '';
    if (status === 101) state = 'lost';
    else if (status < 200 || status === 204 || status === 304) state = 'head';
    else if (fields.get('transfer-encoding')?.endsWith('chunked')) state = 'chunk-size';
    else if (fields.has('content-length')) {
      left = Number(fields.get('content-length'));
      state = left > 0 ? 'length' : 'head';
    } else state = 'until-close';
  }

  return (chunk) => {
    const pieces: BodyPiece[] = [];
    let at = 0;
    const body = (length: number) => {
      const bytes = chunk.subarray(at, at + length);
      if (bytes.length > 0) {
        pieces.push({ offset: position + at, bytes, first, contentType });
        first = false;
      }
      at += bytes.length;
      left -= bytes.length;
    };
    while (at < chunk.length && state !== 'lost') {
      if (state === 'until-close') body(chunk.length - at);
      else if (state === 'length') {
        body(left);
        if (left === 0) state = 'head';
      } else if (state === 'chunk-data') {
        body(left);
        if (left === 0) state = 'chunk-end';
      } else {
        const { next, whole } = takeLine(chunk, at);
        at = next;
        if (whole === undefined) continue;
        if (state === 'head') headLine(whole);
        else if (state === 'chunk-end') state = 'chunk-size';
        else if (state === 'trailer') state = whole === '' ? 'head' : 'trailer';
        else if (state === 'chunk-size') {
          left = Number.parseInt(whole, 16);
          state = Number.isNaN(left) ? 'lost' : left === 0 ? 'trailer' : 'chunk-data';
        }
      }
    }
    position += chunk.length;
    return pieces;
  };
}
