/** The executors that the cases of one cell share, each in a lab that lives as long as the run. */
import type { Cell } from '../check.js';
import { Canaries } from '../checkers/canaries.js';
import { openLab } from '../lab/lab.js';
import type { Lab } from '../lab/ports.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import { referenceExecutor } from '../subjects/reference-executor.js';
import type { RunOptions } from './options.js';
import type { PlannedCheck } from './plan.js';

export class Cells {
  /** Whose mark is whose, in all cases of the run. */
  readonly canaries = new Canaries();
  readonly #options: RunOptions;
  readonly #open = new Map<string, Promise<{ lab: Lab; executor: ExecutorSubject }>>();
  readonly #labs = new Map<string, Lab>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async executor({ cell }: PlannedCheck): Promise<ExecutorSubject> {
    const key = keyOf(cell);
    let open = this.#open.get(key);
    if (open === undefined) {
      open = this.#start(key, cell);
      this.#open.set(key, open);
    }
    return (await open).executor;
  }

  async #start(key: string, cell: Cell): Promise<{ lab: Lab; executor: ExecutorSubject }> {
    const lab = await openLab({ caseId: `shared/${key}`, seed: String(this.#options.seed) });
    this.#labs.set(key, lab);
    return {
      lab,
      executor: await referenceExecutor(lab, 'executor', {}, { defect: this.#options.defect }, cell),
    };
  }

  /** Where the files of a cell's shared executor are, once it was started. */
  folder({ cell }: PlannedCheck): string | undefined {
    return this.#labs.get(keyOf(cell))?.folder;
  }

  unaskedExits({ cell }: PlannedCheck): string[] {
    return this.#labs.get(keyOf(cell))?.unaskedExits() ?? [];
  }

  evidence({ cell }: PlannedCheck): Record<string, string> {
    const all = this.#labs.get(keyOf(cell))?.evidence() ?? {};
    return Object.fromEntries(Object.entries(all).map(([name, text]) => [`shared-${name}`, text]));
  }

  async close(): Promise<void> {
    for (const lab of this.#labs.values()) await lab.close();
  }
}

function keyOf({ binding, topology }: PlannedCheck['cell']): string {
  return `${binding}/${topology}`;
}
