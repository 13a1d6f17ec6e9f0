/** The executors that the cases of one cell share, each in a lab that lives as long as the run. */
import { BINDINGS } from '../../profile/names.js';
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
  readonly #open = new Map<string, Promise<ExecutorSubject>>();
  readonly #labs = new Map<string, Promise<Lab>>();
  /** Those that are open. */
  readonly #opened = new Map<string, Lab>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  /** Two at most in a cell: one that speaks the cell's binding alone, and one that speaks all of them. */
  executor({ cell }: PlannedCheck, speaks: 'one' | 'all' = 'one'): Promise<ExecutorSubject> {
    const key = `${keyOf(cell)} ${speaks}`;
    let open = this.#open.get(key);
    if (open === undefined) {
      open = this.#start(cell, speaks);
      this.#open.set(key, open);
    }
    return open;
  }

  async #start(cell: Cell, speaks: 'one' | 'all'): Promise<ExecutorSubject> {
    const beside = speaks === 'one' ? [] : BINDINGS.filter((binding) => binding !== cell.binding);
    const name = speaks === 'one' ? 'executor' : 'executor-of-all';
    const variant = { defect: this.#options.defect };
    return referenceExecutor(await this.#lab(cell), name, { beside }, variant, cell);
  }

  #lab(cell: Cell): Promise<Lab> {
    const key = keyOf(cell);
    let lab = this.#labs.get(key);
    if (lab === undefined) {
      lab = openLab({ caseId: `shared/${key}`, seed: String(this.#options.seed) }).then((opened) => {
        this.#opened.set(key, opened);
        return opened;
      });
      this.#labs.set(key, lab);
    }
    return lab;
  }

  /** Where the files of a cell's shared executor are, once it was started. */
  folder({ cell }: PlannedCheck): string | undefined {
    return this.#opened.get(keyOf(cell))?.folder;
  }

  unaskedExits({ cell }: PlannedCheck): string[] {
    return this.#opened.get(keyOf(cell))?.unaskedExits() ?? [];
  }

  evidence({ cell }: PlannedCheck): Record<string, string> {
    const all = this.#opened.get(keyOf(cell))?.evidence() ?? {};
    return Object.fromEntries(Object.entries(all).map(([name, text]) => [`shared-${name}`, text]));
  }

  async close(): Promise<void> {
    for (const lab of this.#opened.values()) await lab.close();
  }
}

function keyOf({ binding, topology }: PlannedCheck['cell']): string {
  return `${binding}/${topology}`;
}
