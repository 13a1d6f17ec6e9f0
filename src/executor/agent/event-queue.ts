/** Between the agent's stream and the turn: bounded, in order, one consumer. */
import type { AgentEvent } from './runner.js';

const MAX_EVENTS = 256;
const MAX_BYTES = 1024 * 1024;

export class EventQueue implements AsyncIterable<AgentEvent> {
  readonly #coalesce: boolean;
  #events: AgentEvent[] = [];
  #bytes = 0;
  #ended = false;
  #arrived: (() => void) | undefined;
  #room: (() => void)[] = [];

  constructor(coalesce: boolean) {
    this.#coalesce = coalesce;
  }

  push(event: AgentEvent): void {
    if (this.#ended) return;
    this.#bytes += size(event);
    const last = this.#events.at(-1);
    if (this.#coalesce && event.type === 'text' && last?.type === 'text') {
      this.#events[this.#events.length - 1] = { type: 'text', text: last.text + event.text };
    } else this.#events.push(event);
    this.#arrived?.();
  }

  /** No more events; those that wait are still delivered. */
  end(): void {
    this.#ended = true;
    this.#arrived?.();
    for (const resolve of this.#room.splice(0)) resolve();
  }

  /** Resolves when another event may come. */
  async room(): Promise<void> {
    while (!this.#ended && (this.#events.length >= MAX_EVENTS || this.#bytes >= MAX_BYTES)) {
      await new Promise<void>((resolve) => this.#room.push(resolve));
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event !== undefined) {
          this.#bytes -= size(event);
          for (const resolve of this.#room.splice(0)) resolve();
          yield event;
        } else if (this.#ended) return;
        else {
          await new Promise<void>((resolve) => {
            this.#arrived = resolve;
          });
          this.#arrived = undefined;
        }
      }
    } finally {
      // A consumer that stopped early wants nothing more, and must not hold the agent's stream up.
      this.#events = [];
      this.#bytes = 0;
      this.end();
    }
  }
}

function size(event: AgentEvent): number {
  if (event.type === 'text' || event.type === 'status') return event.text.length;
  if (event.type === 'permission') return event.title.length;
  return event.parts.reduce((sum, { text, raw }) => sum + (text?.length ?? 0) + (raw?.length ?? 0), 0);
}
