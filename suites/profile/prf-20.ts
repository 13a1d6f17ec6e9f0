/** PRF-20: the callee itself enforces deadline, running time and output, and no retry extends any of them. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, taskOf } from '../../src/harness/run/observe.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { KEY } from '../../src/profile/names.js';

function deadlineOf(task: Json): string {
  return String(((task.metadata as Json)[KEY.event] as Json).deadline_at);
}

const enforced = (script: string[], more: Json, status: string, code: string) => async (lab: CaseLab) => {
  const executor = await lab.executor();
  const probe = executor.probe();
  const request = lab.script(executor, 'e', script, more);
  const created = taskOf(await probe.create(request), 'the create');
  const id = String(created.id);
  const task = await ended(probe, id);
  const envelope = resultOf(task) ?? {};
  lab.evidence('envelope.json', envelope);
  lab.expect(envelope.status === status, `the outcome is ${String(envelope.status)}, not ${status}`);
  lab.expect(
    (envelope.error as Json | null)?.code === code,
    `the error is ${JSON.stringify(envelope.error)}, not ${code}`,
  );
  const late = Date.parse(String(envelope.signed_at)) - Date.parse(deadlineOf(task));
  // Nobody asked: it ended by itself, within the published grace.
  lab.expect(late <= executor.settings.stopGraceMs + 5000, `it ended ${late} ms after its deadline`);
};

async function output(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const budget = { max_output_bytes: 4000 };
  const request = lab.script(executor, 'o', ['chunks 100 of 200'], { budget });
  const task = await ended(probe, String(taskOf(await probe.create(request), 'the create').id));
  const parts = ((task.artifacts ?? []) as { parts: Json[] }[]).flatMap((artifact) => artifact.parts);
  // The empty end mark of the answer is not the agent's.
  const bytes = parts
    .filter(({ text }) => text !== '')
    .reduce((sum, part) => sum + JSON.stringify(part).length, 0);
  lab.expect(
    bytes <= budget.max_output_bytes,
    `${bytes} bytes of output under a budget of ${budget.max_output_bytes}`,
  );
  const envelope = resultOf(task) ?? {};
  lab.expect(
    (envelope.error as Json | null)?.code === 'BUDGET_EXHAUSTED',
    `the outcome is ${String(envelope.status)} ${JSON.stringify(envelope.error)}`,
  );
}

async function retried(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const request = lab.script(executor, 'r', ['hold never'], { deadline_ms: 900 });
  const first = taskOf(await probe.create(request), 'the create');
  const deadline = deadlineOf(first);
  let last = first;
  while (resultOf(last) === undefined) {
    lab.attempt();
    last = taskOf(await probe.create({ ...request, issued_at: new Date().toISOString() }), 'a retry');
    lab.expect(
      deadlineOf(last) === deadline,
      `a retry moved the deadline from ${deadline} to ${deadlineOf(last)}`,
    );
  }
  lab.expect(
    resultOf(last)?.status === 'expired',
    `the outcome is ${String(resultOf(last)?.status)}, not expired`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-20',
  cases: () => [
    {
      name: 'deadline',
      estimateMs: 1000,
      deadlineMs: 20_000,
      run: enforced(['hold never'], { deadline_ms: 600 }, 'expired', 'DEADLINE_EXCEEDED'),
    },
    {
      name: 'deadline-ignored',
      estimateMs: 2500,
      deadlineMs: 20_000,
      run: enforced(['ignore-cancel', 'hang'], { deadline_ms: 600 }, 'expired', 'DEADLINE_EXCEEDED'),
    },
    {
      name: 'runtime',
      estimateMs: 1000,
      deadlineMs: 20_000,
      run: enforced(
        ['hold never'],
        { budget: { max_output_bytes: 1000, max_runtime_ms: 300 } },
        'failed',
        'BUDGET_EXHAUSTED',
      ),
    },
    { name: 'output', estimateMs: 500, deadlineMs: 20_000, run: output },
    { name: 'retries', estimateMs: 1200, deadlineMs: 20_000, run: retried },
  ],
};
