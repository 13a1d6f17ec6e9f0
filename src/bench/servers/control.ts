/** What the benchmark asks a server process over IPC, and the server's half of it. */

export type Ask =
  /** Answered when so many tasks have ended since the process began. */
  | { ask: 'ended'; count: number }
  /** Collects all garbage. */
  | { ask: 'usage' }
  /** The held agent of that name says so many more; 0 ends it. Answered at once. */
  | { ask: 'go'; held: string; count: number };

export interface Usage {
  /** Heap and external bytes after the collection. */
  heap: number;
  /** µs of CPU since the process began, before and after the collection, which is nobody's cost. */
  cpuBefore: number;
  cpuAfter: number;
}

export type Question = Ask & { id: number };
export interface Reply {
  id: number;
  usage?: Usage;
}

export class Control {
  #ended = 0;
  #waiting: { count: number; resolve(): void }[] = [];
  /** A held agent that waits, or the word that came before it did. */
  readonly #held = new Map<string, (count: number) => void>();
  readonly #told = new Map<string, number>();

  constructor() {
    process.on('message', (question: Question) => {
      this.#answer(question).then((usage) => {
        process.send?.({ id: question.id, ...(usage === undefined ? {} : { usage }) } satisfies Reply);
      }, fail);
    });
    // Without its parent nobody would end it.
    process.on('disconnect', () => process.exit(0));
  }

  /** A task has its terminal event. */
  taskEnded(): void {
    this.#ended += 1;
    for (const waiting of this.#waiting.filter(({ count }) => count <= this.#ended)) waiting.resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#ended);
  }

  /** For `play`: how many more a held agent is to say. */
  more = (held: string): Promise<number> =>
    new Promise((resolve) => {
      const told = this.#told.get(held);
      this.#told.delete(held);
      if (told === undefined) this.#held.set(held, resolve);
      else resolve(told);
    });

  async #answer(question: Question): Promise<Usage | undefined> {
    switch (question.ask) {
      case 'ended': {
        const { count } = question;
        if (count > this.#ended) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
        return undefined;
      }
      case 'go': {
        const go = this.#held.get(question.held);
        this.#held.delete(question.held);
        if (go === undefined) this.#told.set(question.held, question.count);
        else go(question.count);
        return undefined;
      }
      case 'usage':
        return usage();
    }
  }
}

function usage(): Usage {
  if (globalThis.gc === undefined) throw new Error('start the server with --expose-gc');
  const cpuBefore = cpu();
  // Twice: what the first one finalises the second one frees.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed + external, cpuBefore, cpuAfter: cpu() };
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}
