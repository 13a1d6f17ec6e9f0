/** RPL-19: a deadline that passes while nobody is connected is told afterwards by the executor; the coordinator does not speak first. */
import { ordered } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, resume, seenOf, stateOf, tail } from '../../src/harness/run/observe.js';
import { heldTask, place } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';

const DEADLINE_MS = 1500;

async function observer(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'o', [], { deadline_ms: DEADLINE_MS });
  const before = await tail(probe, started.taskId, '0', 'before');
  const from = await place(probe, started.taskId);
  const link = await lab.link(executor, 'o');
  const cut = link.tap.arm({ kind: 'reset', direction: 'downstream', at: { frame: 1, framer: 'sse' } });
  const session = probe.subscribe(started.taskId, { via: link.address });
  await lab.took(cut, 'a reset behind the leading Task');
  await session.ended;
  const task = await ended(probe, started.taskId);
  const envelope = resultOf(task) ?? {};
  const replayed = await resume(probe, started.taskId, from, 'resumed', { via: link.address });
  lab.evidence('replayed.json', { envelope, replayed });
  lab.holds(ordered([...before, ...seenOf(session, 'cut'), ...replayed]), 'the union after the resume');
  lab.expect(stateOf(task) === 'TASK_STATE_FAILED', `the core state is ${stateOf(task)}`);
  lab.expect(
    told(envelope),
    `the replayed outcome is ${String(envelope.status)} ${JSON.stringify(envelope.error)}`,
  );
  lab.expect(await verifyResult(envelope, executor.resultKeys), 'the replayed result does not verify');
}

/** `expired`, or an `unknown` that says what it rests on. */
function told({ status, side_effects }: Record<string, unknown>): boolean {
  return (
    status === 'expired' || (status === 'unknown' && Array.isArray(side_effects) && side_effects.length > 0)
  );
}

async function coordinator(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const link = await lab.link(executor, 'c');
  const proxy = await link.proxy();
  const request = lab.script(executor, 'c', ['say before', 'hold go'], { deadline_ms: DEADLINE_MS });
  const run = lab
    .coordinator()
    .run('delegate', lab.job(executor, executor.gate.keyFile, request, link.address));
  const { task_id } = await run.line('accepted');
  await executor.holds.waiting(lab.scriptId('c'), 'go');
  await proxy.enable(false);
  const task = await ended(executor.probe(), String(task_id));
  const early = run.lines.filter(({ type }) => type === 'result');
  lab.expect(
    early.length === 0,
    `the coordinator spoke first, while it was cut off: ${JSON.stringify(early[0])}`,
  );
  await proxy.enable(true);
  const result = await run.result;
  lab.evidence('lines.json', run.lines);
  const signed = resultOf(task)?.status;
  lab.expect(
    result?.verified === true && result.outcome === signed && told(resultOf(task) ?? {}),
    `the executor says ${String(signed)}, the coordinator ${String(result?.outcome)}, verified ${String(result?.verified)}`,
  );
  const code = await run.exit;
  lab.expect(
    code === (signed === 'unknown' ? 4 : 3),
    `the coordinator exits ${String(code)} after ${String(signed)}`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-19',
  cases: () => [
    { name: 'observer', estimateMs: 3000, deadlineMs: 30_000, run: observer },
    { name: 'coordinator', estimateMs: 3500, deadlineMs: 30_000, run: coordinator },
  ],
};
