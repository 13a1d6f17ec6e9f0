/** Runs one public bug report's reproduction in a laboratory of its own, as a test of the default suite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cell, Violation } from '../../src/harness/check.js';
import { within } from '../../src/harness/lab/deadline.js';
import { openLab, sharedInjector } from '../../src/harness/lab/lab.js';
import { CaseLab } from '../../src/harness/run/case-lab.js';
import { Evidence } from '../../src/harness/run/evidence.js';
import { referenceExecutor } from '../../src/harness/subjects/reference-executor.js';

const SEED = '1';

/** `id` is the item of docs/field-reports.md; the test fails when `run` throws or is not done after `deadlineMs`. */
export function fieldReport(
  id: string,
  title: string,
  run: (lab: CaseLab) => Promise<void>,
  deadlineMs = 30_000,
  cell: Cell = { binding: 'JSONRPC', topology: 'direct' },
): void {
  it(`${id} ${title}`, async function () {
    this.timeout(deadlineMs + 20_000);
    const caseId = `${id}/${title.replace(/[^\w]+/g, '-')}`;
    const out = mkdtempSync(join(tmpdir(), 'oab-field-'));
    const lab = await openLab({ caseId, seed: SEED });
    const shared = { executor: () => referenceExecutor(lab, 'executor', {}, {}, cell) };
    const caseLab = new CaseLab(caseId, cell, lab, shared, new Evidence(out, caseId), undefined);
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

after(() => sharedInjector.close());
