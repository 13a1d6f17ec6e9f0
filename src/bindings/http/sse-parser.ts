/**
 * `text/event-stream` as bytes come in (WHATWG HTML 9.2): CR, LF and CRLF wherever the reads cut them, multi-line
 * data, comments, unknown fields, UTF-8 across chunks; and a limit on one event (OPEN-20 to OPEN-23).
 */
export class EventTooLong extends Error {
  override name = 'EventTooLong';
  constructor(readonly limit: number) {
    super(`an event above ${limit}`);
  }
}

export class SseParser {
  readonly #limit: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #line = '';
  #data: string[] = [];
  #size = 0;
  #afterCr = false;

  /** `limit` in UTF-16 units of one event's data, and of one line. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The data of each event that these bytes complete. Throws EventTooLong, or TypeError for what is no UTF-8. */
  push(chunk: Uint8Array): string[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    const events: string[] = [];
    let start = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code !== 0x0a && code !== 0x0d) {
        this.#afterCr = false;
        continue;
      }
      if (code === 0x0a && this.#afterCr) {
        // The second half of a CRLF, perhaps from another read.
        this.#afterCr = false;
        start = at + 1;
        continue;
      }
      this.#take(this.#line + text.slice(start, at), events);
      this.#line = '';
      this.#afterCr = code === 0x0d;
      start = at + 1;
    }
    this.#line += text.slice(start);
    if (this.#line.length > this.#limit) throw new EventTooLong(this.#limit);
    return events;
  }

  #take(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.join('\n'));
      this.#data = [];
      this.#size = 0;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== 'data') return;
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    this.#size += value.length + 1;
    if (this.#size > this.#limit) throw new EventTooLong(this.#limit);
    this.#data.push(value);
  }
}
