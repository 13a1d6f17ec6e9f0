/** Exchanges without what is new each time: ids, times, digests, signatures, cursors. Whatever was the same stays the same. */

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const NEW_EACH_TIME = [
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  'sha256:[0-9a-f]{64}',
  'oab-mark-[0-9a-f]{20}',
  // Keys, their thumbprints, signatures, protected headers.
  String.raw`(?<![\w-])[\w-]{40,}`,
  '(?<="(?:cursor|next)":")[^"]+',
];
const CHANGING = new RegExp([TIME, ...NEW_EACH_TIME].join('|'), 'g');
const IS_TIME = new RegExp(`^${TIME}$`);
/** A caller counts its requests as it likes (JSON-RPC 2.0 section 4). */
const REQUEST_ID = /(?<="jsonrpc":"2\.0",)"id":\d+/g;

export class Transcript {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();

  /** `what` tells the line in a difference; each of `said` is text as it came, or becomes JSON. */
  add(what: string, ...said: readonly unknown[]): void {
    const text = said.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ');
    const plain = text
      .replace(REQUEST_ID, '"id":0')
      // Two things may fall into one millisecond or not.
      .replace(CHANGING, (value) => (IS_TIME.test(value) ? '<time>' : this.#nameOf(value)));
    this.lines.push(`${what}: ${plain}`);
  }

  #nameOf(value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `<${this.#names.size + 1}>`;
    this.#names.set(value, name);
    return name;
  }
}

/** The first line in which two transcripts differ, from where they do; undefined when they are equal. */
export function differenceOf(
  one: Pick<Transcript, 'lines'>,
  other: Pick<Transcript, 'lines'>,
): string | undefined {
  const most = Math.max(one.lines.length, other.lines.length);
  for (let at = 0; at < most; at += 1) {
    const [a = '(nothing)', b = '(nothing)'] = [one.lines[at], other.lines[at]];
    if (a === b) continue;
    let from = 0;
    while (a[from] === b[from]) from += 1;
    const show = (line: string) => line.slice(Math.max(0, from - 40), from + 80);
    return `line ${at + 1}, ${a.split(':', 1)[0]}: ${show(a)} | ${show(b)}`;
  }
  return undefined;
}
