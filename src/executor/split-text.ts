/** Cuts text into pieces that fit an event, at code points. */

/** Each piece's JSON is at most `bytes` long; the pieces joined are the text. */
export function splitText(text: string, bytes: number): string[] {
  // Six bytes is the longest that JSON makes of one UTF-16 unit, so short texts need no measuring.
  if (text.length * 6 + 2 <= bytes) return [text];
  const pieces: string[] = [];
  let piece = '';
  let used = 2;
  for (const point of text) {
    const size = Buffer.byteLength(JSON.stringify(point)) - 2;
    if (used + size > bytes && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 2;
    }
    piece += point;
    used += size;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

/** The longest beginning of a text that is at most `bytes` of UTF-8, cut at a code point. */
export function headOf(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const cut = Buffer.from(text).subarray(0, bytes).toString('utf8');
  // A cut code point decodes to the replacement character at the end.
  return cut.replace(/\u{FFFD}+$/u, '');
}

/** The same of a text that may hold lone surrogates, which can be neither hashed nor sent. */
export function wellFormedHead(text: string, bytes: number): string {
  return headOf(text.replace(/\p{Surrogate}/gu, '\u{FFFD}'), bytes);
}
