/** Runs one public bug report's reproduction in a laboratory of its own, as a test of the default suite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cell, Violation } from '../../src/harness/check.js';
import { within } from '../../src/harness/lab/deadline.js';
import { openLab, sharedInjector } from '../../src/harness/lab/lab.js';
import type { Lab } from '../../src/harness/lab/ports.js';
import { CaseLab, type Shared } from '../../src/harness/run/case-lab.js';
import { Evidence } from '../../src/harness/run/evidence.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import { referenceExecutor } from '../../src/harness/subjects/reference-executor.js';
import { BINDINGS, type BindingName } from '../../src/profile/names.js';

const SEED = '1';
const DEADLINE_MS = 30_000;

type Run = (lab: CaseLab) => Promise<void>;

/** `id` is the item of docs/field-reports.md; the test fails when `run` throws or is not done after `deadlineMs`. */
export function fieldReport(
  id: string,
  title: string,
  run: Run,
  deadlineMs = DEADLINE_MS,
  cell: Cell = { binding: 'JSONRPC', topology: 'direct' },
  shared?: Shared,
): void {
  it(`${id} ${title}`, async function () {
    this.timeout(deadlineMs + 20_000);
    const caseId = `${id}/${title.replace(/[^\w]+/g, '-')}`;
    const out = mkdtempSync(join(tmpdir(), 'oab-field-'));
    const lab = await openLab({ caseId, seed: SEED });
    const own = { executor: () => referenceExecutor(lab, 'executor', {}, {}, cell) };
    const caseLab = new CaseLab(caseId, cell, lab, shared ?? own, new Evidence(out, caseId), undefined);
    try {
      await within(run(caseLab), deadlineMs, 'hang');
      const [found] = await caseLab.recorder.findings();
      if (found !== undefined)
        throw new Violation(`history (${found.rule}) of ${found.subject}: ${found.what}`);
    } finally {
      await lab.close();
      rmSync(out, { recursive: true, force: true });
    }
  });
}

/**
 * The same on each of these bindings, in front of one executor that speaks all of them and ends with the describe that
 * calls this. A report may kill it, and starts it again.
 */
export function sharingAnExecutor(bindings: readonly BindingName[] = BINDINGS) {
  let lab: Lab | undefined;
  let started: Promise<ExecutorSubject> | undefined;
  const start = async () => {
    lab = await openLab({ caseId: 'field-reports', seed: SEED });
    const [first, ...beside] = BINDINGS;
    return referenceExecutor(lab, 'executor', { beside }, {}, { binding: first, topology: 'direct' });
  };
  after(() => lab?.close());
  return (id: string, title: string, run: Run, { deadlineMs = DEADLINE_MS, on = bindings } = {}): void => {
    for (const binding of on) {
      const speaking = async (): Promise<ExecutorSubject> => {
        started ??= start();
        const executor = await started;
        return {
          ...executor,
          probe: (caller, relay, spoken = binding) => executor.probe(caller, relay, spoken),
        };
      };
      const cell = { binding, topology: 'direct' } as const;
      fieldReport(id, `${binding}: ${title}`, run, deadlineMs, cell, { executor: speaking });
    }
  };
}

after(() => sharedInjector.close());
