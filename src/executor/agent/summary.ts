/** `summary`: the agent's text after its last tool call, else all of it; ≤ 2,048 bytes at a code point. */
import { MAX_SUMMARY_BYTES } from '../../profile/envelope.js';
import { headOf } from '../split-text.js';

export class Summary {
  #all = '';
  #since = '';

  text(text: string): void {
    // No more is kept than can be used, whatever the agent writes.
    if (this.#all.length < MAX_SUMMARY_BYTES) this.#all += text.slice(0, MAX_SUMMARY_BYTES);
    if (this.#since.length < MAX_SUMMARY_BYTES) this.#since += text.slice(0, MAX_SUMMARY_BYTES);
  }

  toolCall(): void {
    this.#since = '';
  }

  get value(): string {
    const text = this.#since.trim() === '' ? this.#all : this.#since;
    // A slice by UTF-16 units may have cut a pair in two.
    return headOf(text.trim().replace(/\p{Surrogate}/gu, ''), MAX_SUMMARY_BYTES);
  }
}
