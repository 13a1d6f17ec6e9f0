/** RPL-19: a deadline that passes while nobody is connected is told afterwards by the executor; the coordinator does not speak first. */
import { ordered } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, resume, seenOf, stateOf, tail } from '../../src/harness/run/observe.js';
import { heldTask, place, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';

const DEADLINE_MS = 1500;

/** What the agent has begun when the deadline passes, and what then has to be replayed. */
const PASSING: Record<string, { before: string[]; status: 'expired' | 'unknown' }> = {
  expired: { before: [], status: 'expired' },
  // An edit without a final status in a workspace that did change: nobody can say what it did (section 5, row 2).
  unknown: {
    before: ['tool-open edit rpl-19.txt', 'write rpl-19.txt half', 'hold never'],
    status: 'unknown',
  },
};

const observer =
  (name: string) =>
  async (lab: CaseLab): Promise<void> => {
    const { before: script, status } = PASSING[name] as (typeof PASSING)[string];
    const executor = await lab.executor();
    const probe = executor.probe();
    const started = await heldTask(lab, executor, probe, 'o', script, { deadline_ms: DEADLINE_MS });
    const before = await tail(probe, started.taskId, '0', 'before');
    const from = await place(probe, started.taskId);
    const link = await lab.link(executor, 'o');
    const cut = link.tap.arm({
      kind: 'reset',
      direction: 'downstream',
      at: { frame: 1, framer: lab.framer },
    });
    const session = probe.subscribe(started.taskId, { via: link.address });
    await lab.took(cut, 'a reset behind the leading Task');
    await session.ended;
    if (script.length > 0) await release(executor, started);
    const task = await ended(probe, started.taskId);
    const envelope = resultOf(task) ?? {};
    const replayed = await resume(probe, started.taskId, from, 'resumed', { via: link.address });
    lab.evidence('replayed.json', { envelope, replayed });
    lab.holds(ordered([...before, ...seenOf(session, 'cut'), ...replayed]), 'the union after the resume');
    lab.expect(stateOf(task) === 'TASK_STATE_FAILED', `the core state is ${stateOf(task)}`);
    lab.expect(
      envelope.status === status && told(envelope),
      `the replayed outcome is ${String(envelope.status)} ${JSON.stringify(envelope.error)}`,
    );
    lab.expect(await verifyResult(envelope, executor.resultKeys), 'the replayed result does not verify');
  };

/** `expired`, or an `unknown` that says what it rests on. */
function told({ status, side_effects }: Record<string, unknown>): boolean {
  return (
    status === 'expired' || (status === 'unknown' && Array.isArray(side_effects) && side_effects.length > 0)
  );
}

/** Only when its own time is over too, may it say what it has: that it does not know. Later the signed outcome is had. */
async function ownBound(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const link = await lab.link(executor, 'b');
  const proxy = await link.proxy();
  const request = lab.script(executor, 'b', ['say before', 'hold go'], { deadline_ms: DEADLINE_MS });
  const job = { ...lab.job(executor, executor.gate.keyFile, request, link.address), clock_skew: '0s' };
  const subject = lab.coordinator();
  const run = subject.run('delegate', job);
  const { task_id } = await run.line('accepted');
  await executor.holds.waiting(lab.scriptId('b'), 'go');
  await proxy.enable(false);
  const local = await run.result;
  lab.expect(
    local?.outcome === 'unknown' && local.verified === false && (await run.exit) === 4,
    `cut off for longer than it may wait, the coordinator says ${JSON.stringify(local)}`,
  );
  const signed = resultOf(await ended(executor.probe(), String(task_id))) ?? {};
  await proxy.enable(true);
  const later = subject.run('reconcile', job);
  const result = await later.result;
  lab.evidence('lines.json', [...run.lines, ...later.lines]);
  lab.expect(
    told(signed) && result?.outcome === signed.status && result?.verified === true,
    `the executor says ${String(signed.status)}, the reconciled outcome is ${String(result?.outcome)}, verified ${String(result?.verified)}`,
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
    ...Object.keys(PASSING).map((name) => ({
      name: `observer-${name}`,
      estimateMs: 2000,
      deadlineMs: 30_000,
      run: observer(name),
    })),
    { name: 'coordinator', estimateMs: 3500, deadlineMs: 30_000, run: coordinator },
    { name: 'own-bound', estimateMs: 6500, deadlineMs: 40_000, run: ownBound },
  ],
};
