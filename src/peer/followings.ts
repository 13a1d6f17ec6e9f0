/** Who follows which delegation: one observer each, whose lines go to everybody that waits for it. */
import type { Line, ResultLine, Sink } from '../coordinator/lines.js';

interface Following {
  readonly sinks: Set<Sink>;
  accepted: Line | undefined;
  done?: Promise<ResultLine>;
}

export class Followings {
  readonly #running = new Map<string, Following>();
  readonly #keyOf: (id: string) => string;

  /** `keyOf` makes one key of a task id and its request id. */
  constructor(keyOf: (id: string) => string) {
    this.#keyOf = keyOf;
  }

  /** Begins to follow, or joins whoever follows already: then with the id, and the lines from now on. */
  join(id: string, begin: (sink: Sink) => Promise<ResultLine>, sink: Sink): Promise<ResultLine> {
    const key = this.#keyOf(id);
    const running = this.#running.get(key);
    if (running?.done !== undefined) {
      if (running.accepted !== undefined) sink(running.accepted);
      running.sinks.add(sink);
      return running.done;
    }
    const following: Following = { sinks: new Set([sink]), accepted: undefined };
    this.#running.set(key, following);
    following.done = begin((line) => {
      if (line.type === 'accepted') following.accepted = line;
      for (const one of following.sinks) one(line);
    }).finally(() => this.#running.delete(key));
    return following.done;
  }

  /** That one went away; the following goes on for the others, and for the store. */
  leave(id: string, sink: Sink): void {
    this.#running.get(this.#keyOf(id))?.sinks.delete(sink);
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }
}
