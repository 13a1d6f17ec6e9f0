/** A coordinator process that delegates to the harness in an executor's place. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { FakeParts } from '../../src/harness/subjects/fake-parts.js';
import type { WireRequest } from '../../src/harness/wire/request.js';

export async function delegateTo(
  lab: CaseLab,
  change: Partial<FakeParts>,
  { request_id, task, capabilities }: WireRequest,
  deadlineMs = 20_000,
) {
  const executor = await lab.executor();
  const fake = await lab.fake('gate', change);
  const run = lab.coordinator().run(
    'delegate',
    lab.jobTo(fake, executor.gate.keyFile, {
      request_id,
      task,
      capabilities,
      deadline_ms: deadlineMs,
      max_output_bytes: 256 * 1024,
    }),
  );
  return { run, fake };
}
