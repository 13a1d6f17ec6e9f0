/** RPL-04: a terminal event that was missed is replayed, and its signed result with it. */
import { finished } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import {
  ended,
  isTerminalFrame,
  lastOf,
  resultOf,
  resume,
  seenOf,
  tail,
} from '../../src/harness/run/observe.js';
import { AFTER, heldTask, place, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import { KEY } from '../../src/profile/names.js';

async function missed(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'm', AFTER);
  const before = await tail(probe, started.taskId, '0', 'before');
  const from = await place(probe, started.taskId);
  const link = await lab.link(executor, 'm');
  const cut = link.tap.arm({ kind: 'reset', direction: 'downstream', at: { frame: 1, framer: lab.framer } });
  const session = probe.subscribe(started.taskId, { via: link.address });
  await lab.took(cut, 'a reset behind the leading Task');
  await session.ended;
  await release(executor, started);
  const task = await ended(probe, started.taskId);

  const seen = [
    ...before,
    ...seenOf(session, 'cut'),
    ...(await resume(probe, started.taskId, lastOf(seenOf(session, 'cut'), from), 'resumed')),
  ];
  lab.evidence('history.json', seen);
  const last = seen.at(-1)?.event ?? {};
  const update = last.statusUpdate as { metadata?: Record<string, unknown> } | undefined;
  const onEvent = update?.metadata?.[KEY.result] as Record<string, unknown> | undefined;
  const onTask = resultOf(task);
  lab.expect(onEvent !== undefined, 'the replayed terminal event carries no signed result');
  lab.expect(
    JSON.stringify(onEvent) === JSON.stringify(onTask),
    'the result on the terminal event is not the one on the Task',
  );
  lab.expect(
    await verifyResult(onTask ?? {}, executor.resultKeys),
    'the replayed result does not verify with a stock JOSE library',
  );
  lab.holds(finished(seen, onTask ?? {}), 'the union after the resume');
}

async function refusedThenTail(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 't', AFTER);
  await release(executor, started);
  await ended(probe, started.taskId);
  const session = probe.subscribe(started.taskId);
  const refusal = await session.refusal;
  lab.expect(
    refusal?.error?.code === -32004,
    `a subscribe on the ended task is answered ${refusal?.text.slice(0, 200) ?? 'by a stream'}, not by UnsupportedOperationError`,
  );
  lab.expect(!session.frames.some(isTerminalFrame), 'a refused subscribe delivered events');
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-04',
  cases: ({ binding }) => [
    { name: 'missed', estimateMs: 800, deadlineMs: 30_000, run: missed },
    // On OAB an ended task is read as any other.
    ...(binding === 'OAB'
      ? []
      : [{ name: 'core-rule-stays', estimateMs: 400, deadlineMs: 30_000, run: refusedThenTail }]),
  ],
};
