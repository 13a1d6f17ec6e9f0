/** Looks for texts that must not be somewhere, in every form in which a program may have kept them. */

/** One text in one form. */
export interface Needle {
  /** `task text (base64)` */
  name: string;
  bytes: Buffer;
  /** The bytes are a text's fold, and are looked for in the fold of a piece; no news where the text was found plain. */
  folded?: { plain: string };
}

/**
 * The text as it is, as a client's WebSocket frame masks it (RFC 6455 5.3), as UTF-16 (how JavaScript engines keep what is not Latin-1), in hex, and inside base64 or base64url
 * at each of the three places that it may have in a group. For texts of letters, digits, blanks, `.`, `_` and `-` only: JSON leaves
 * them as they are.
 */
export function needlesOf(what: string, text: string): Needle[] {
  const bytes = Buffer.from(text, 'latin1');
  return [
    { name: `${what} (plain)`, bytes },
    { name: `${what} (masked)`, bytes: fold(bytes), folded: { plain: `${what} (plain)` } },
    { name: `${what} (UTF-16)`, bytes: Buffer.from(text, 'utf16le') },
    { name: `${what} (hex)`, bytes: Buffer.from(bytes.toString('hex'), 'latin1') },
    ...encodedNeedles(what, text),
  ];
}

/** The same, where the plain text itself is no secret. */
export function encodedNeedles(what: string, text: string): Needle[] {
  const forms = (['base64', 'base64url'] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => within(text, before, encoding)),
  );
  return [...new Set(forms)].map((form) => ({
    name: `${what} (base64)`,
    bytes: Buffer.from(form, 'latin1'),
  }));
}

/** The characters that stand for the text alone, whatever is encoded before and behind it. */
function within(text: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text, 'latin1')]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), whole);
}

/** A word's width: of it a WebSocket's masking key is, which is another one for each frame. */
const WORD = 4;

/** Each byte with the one a key's length behind it: the key falls out, and what a frame masked can be found without it. */
function fold(bytes: Buffer): Buffer {
  const words = Math.floor(bytes.length / WORD);
  const length = Math.max(0, bytes.length - WORD);
  // A copy of its own: whole words want an aligned beginning.
  const source = new Uint8Array((words + 2) * WORD);
  source.set(bytes);
  const from = new Int32Array(source.buffer);
  const to = new Int32Array(words + 1);
  for (let at = 0; at <= words; at += 1) to[at] = (from[at] ?? 0) ^ (from[at + 1] ?? 0);
  return Buffer.from(to.buffer, 0, length);
}

export class SecretSearch {
  readonly #needles = new Set<Needle>();
  readonly #found = new Set<string>();
  #longest = 0;

  constructor(needles: readonly Needle[]) {
    this.add(needles);
  }

  add(needles: readonly Needle[]): void {
    for (const needle of needles) {
      this.#needles.add(needle);
      this.#longest = Math.max(this.#longest, needle.bytes.length);
    }
  }

  /** So many bytes of a piece must come again with the next one. */
  get overlap(): number {
    return Math.max(0, this.#longest - 1);
  }

  look(piece: Buffer): void {
    let folded: Buffer | undefined;
    // The folded ones come behind the plain ones, as they were added.
    for (const needle of this.#needles) {
      if (needle.folded !== undefined) {
        if (this.#found.has(needle.folded.plain)) {
          this.#needles.delete(needle);
          continue;
        }
        folded ??= fold(piece);
      }
      if (!(needle.folded === undefined ? piece : (folded ?? piece)).includes(needle.bytes)) continue;
      // Once is enough, and what is not looked for any more costs nothing.
      this.#needles.delete(needle);
      this.#found.add(needle.name);
    }
  }

  /** Names of what was found until now. */
  get found(): readonly string[] {
    return [...this.#found];
  }
}
