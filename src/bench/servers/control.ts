/** What the benchmark asks a server process over IPC, and the server's half of it. */

export type Ask =
  /** Answered when so many tasks have ended since the process began. */
  | { ask: 'ended'; count: number }
  /** Collects all garbage. */
  | { ask: 'usage' }
  /** The agents held under that name say so many more; 0 ends them. Answered at once. */
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
  /** The agents that are held under a name. */
  readonly #held = new Map<string, ((count: number) => void)[]>();
  /** What a name was told: 0 is told to each that comes later, another count to the next one alone. */
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
      if (told !== undefined) {
        if (told > 0) this.#told.delete(held);
        resolve(told);
        return;
      }
      const waiting = this.#held.get(held) ?? [];
      waiting.push(resolve);
      this.#held.set(held, waiting);
    });

  #go(held: string, count: number): void {
    const waiting = this.#held.get(held) ?? [];
    this.#held.delete(held);
    if (count === 0 || waiting.length === 0) this.#told.set(held, count);
    for (const go of waiting) go(count);
  }

  async #answer(question: Question): Promise<Usage | undefined> {
    switch (question.ask) {
      case 'ended': {
        const { count } = question;
        if (count > this.#ended) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
        return undefined;
      }
      case 'go': {
        this.#go(question.held, question.count);
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
