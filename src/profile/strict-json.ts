/** JSON as the profile allows it (section 6): no duplicate members, no integer beyond ±(2^53−1), no lone surrogate. */

/** What makes a text no JSON of the profile; nothing of the text itself is in it. */
export type StrictJsonFault =
  | 'not JSON'
  | 'not UTF-8'
  | 'a lone surrogate'
  | 'a duplicate member'
  | 'a number beyond ±(2^53−1)'
  | `nested deeper than ${number}`;

/** Why a text was refused. */
export class StrictJsonError extends Error {
  override name = 'StrictJsonError';
  constructor(override readonly message: StrictJsonFault) {
    super(message);
  }
}

export const MAX_DEPTH = 64;

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value of a JSON text. JSON.parse alone would let the last of two equal members win and round big integers in
 * silence, so that two readers of one signature see two documents (OPEN-38, OPEN-39).
 */
export function parseStrict(text: string, maxDepth = MAX_DEPTH): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError('not JSON');
  }
  if (!text.isWellFormed()) throw new StrictJsonError('a lone surrogate');
  scan(text, maxDepth);
  return value;
}

/** Bytes must be UTF-8; a byte order mark is no JSON (RFC 8259 section 8.1). */
export function parseStrictBytes(bytes: Uint8Array, maxDepth = MAX_DEPTH): unknown {
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    throw new StrictJsonError('not UTF-8');
  }
  return parseStrict(text, maxDepth);
}

/** Walks the tokens of a text that JSON.parse has accepted; only what JSON.parse forgives is looked at. */
function scan(text: string, maxDepth: number): void {
  /** For each open object its member names; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = stringEnd(text, at);
      at = string(text, at, end, open.at(-1));
    } else if (code === 0x7b || code === 0x5b) {
      open.push(code === 0x7b ? new Set() : null);
      if (open.length > maxDepth) throw new StrictJsonError(`nested deeper than ${maxDepth}`);
      at += 1;
    } else if (code === 0x7d || code === 0x5d) {
      open.pop();
      at += 1;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      at = number(text, at);
    } else {
      at += 1;
    }
  }
}

/** The index of the closing quote. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c && quote - 1 - backslashes > start)
      backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

function string(text: string, start: number, end: number, members: Set<string> | null | undefined): number {
  const raw = text.slice(start + 1, end);
  const escaped = raw.includes('\\');
  const value = escaped ? (JSON.parse(text.slice(start, end + 1)) as string) : raw;
  if (escaped && !value.isWellFormed()) throw new StrictJsonError('a lone surrogate');
  let next = end + 1;
  while (isSpace(text.charCodeAt(next))) next += 1;
  if (members && text.charCodeAt(next) === 0x3a) {
    if (members.has(value)) throw new StrictJsonError('a duplicate member');
    members.add(value);
  }
  return next;
}

function number(text: string, start: number): number {
  let at = start + 1;
  while (isOfNumber(text.charCodeAt(at))) at += 1;
  const value = Number(text.slice(start, at));
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new StrictJsonError('a number beyond ±(2^53−1)');
  }
  return at;
}

/** A digit, or one of `+ - . E e`. */
function isOfNumber(code: number): boolean {
  const sign = code === 0x2b || code === 0x2d || code === 0x2e;
  return (code >= 0x30 && code <= 0x39) || sign || code === 0x45 || code === 0x65;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
