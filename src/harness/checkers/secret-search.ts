/** Looks for texts that must not be somewhere, in every form in which a program may have kept them. */

/** One text in one form. */
export interface Needle {
  /** `task text (base64)` */
  name: string;
  bytes: Buffer;
}

/**
 * The text as it is, as UTF-16 (how JavaScript engines keep what is not Latin-1), in hex, and inside base64 or base64url
 * at each of the three places that it may have in a group. For texts of letters, digits, blanks, `.`, `_` and `-` only: JSON leaves
 * them as they are.
 */
export function needlesOf(what: string, text: string): Needle[] {
  const bytes = Buffer.from(text, 'latin1');
  return [
    { name: `${what} (plain)`, bytes },
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
    for (const needle of this.#needles) {
      if (!piece.includes(needle.bytes)) continue;
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
