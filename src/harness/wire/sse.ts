/** The probe's own reading of an event stream: LF framing as it is expected, anything else shows as a violation. */

export interface SseItem {
  data: string;
}

/** Splits on blank lines; counts comments; deliberately not shared with any binding. */
export class SseReader {
  comments = 0;
  /** Lines that are no `data:` and no comment: none is ever expected (no `id:`, profile section 4). */
  strange: string[] = [];
  #rest = '';
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  push(chunk: Uint8Array): SseItem[] {
    let text: string;
    try {
      text = this.#decoder.decode(chunk, { stream: true });
    } catch {
      // Thrown from a socket's event it would end the whole run; it is a finding about the subject.
      this.strange.push('bytes that are no UTF-8');
      return [];
    }
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const data: string[] = [];
      for (const line of block.split('\n')) {
        if (line.startsWith(':')) this.comments += 1;
        else if (line.startsWith('data: ')) data.push(line.slice(6));
        else if (line !== '') this.strange.push(line.slice(0, 200));
      }
      return data.length === 0 ? [] : [{ data: data.join('\n') }];
    });
  }
}
