/** RPL-05: create, progress, cancel, disconnect before the outcome, reconnect: cancel and outcome are replayed. */
import { finished } from '../../src/harness/checkers/history.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import {
  ended,
  lastOf,
  resultOf,
  resume,
  seenOf,
  stateOf,
  tail,
  taskOf,
} from '../../src/harness/run/observe.js';
import { place } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import { KEY } from '../../src/profile/names.js';

async function cancelled(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  // The agent sees the cancel only when the hold point is released, so the link is cut before the outcome exists.
  const request = lab.script(executor, 'c', [
    'say progress',
    'ignore-cancel',
    'hold go',
    'say stopping',
    'stop cancelled',
  ]);
  const id = String(taskOf(await probe.create(request), 'the create').id);
  await executor.holds.waiting(lab.scriptId('c'), 'go');
  // The chunk before the hold point is in the log.
  await until(async () => (await place(probe, id)).sequence >= 3, {
    ms: 10_000,
    what: 'the progress',
    everyMs: 10,
  });
  const before = await tail(probe, id, '0', 'before');
  const from = await place(probe, id);
  const link = await lab.link(executor, 'c');
  // Behind the Task comes the recorded cancel; then the link is cut.
  const cut = link.tap.arm({ kind: 'reset', direction: 'downstream', at: { frame: 2, framer: lab.framer } });
  const session = probe.subscribe(id, { via: link.address });
  await session.until((frames) => frames.length > 0);

  const answer = taskOf(await probe.cancel(id), 'CancelTask');
  lab.expect(
    stateOf(answer) === 'TASK_STATE_WORKING',
    `CancelTask answers ${stateOf(answer)}, not the Task as it is`,
  );
  lab.expect(recorded(answer) !== undefined, 'the answer to CancelTask does not show the recorded cancel');
  const since = await tail(probe, id, from.cursor, 'since');
  lab.expect(
    since.some(({ event }) => recorded((event.statusUpdate ?? {}) as Record<string, unknown>) !== undefined),
    'the recorded cancel is no event of the log',
  );
  await lab.took(cut, 'a reset behind the recorded cancel');
  await session.ended;
  await executor.holds.release(lab.scriptId('c'), 'go');
  const task = await ended(probe, id);

  const live = seenOf(session, 'cut');
  const seen = [...before, ...live, ...(await resume(probe, id, lastOf(live, from), 'resumed'))];
  lab.evidence('history.json', seen);
  const cancels = seen.filter(
    ({ event }) => recorded((event.statusUpdate ?? {}) as Record<string, unknown>) !== undefined,
  );
  lab.expect(
    new Set(cancels.map(({ sequence }) => sequence)).size === 1,
    `the cancel is recorded in ${cancels.length} events, not in one`,
  );
  lab.expect(stateOf(task) === 'TASK_STATE_CANCELED', `the task ended ${stateOf(task)}`);
  const envelope = resultOf(task) ?? {};
  lab.expect(envelope.status === 'cancelled', `the signed outcome is ${String(envelope.status)}`);
  lab.expect(
    envelope.cancel_requested_at === recorded(task)?.requested_at,
    'envelope and Task disagree on when the cancel was requested',
  );
  lab.holds(finished(seen, envelope), 'the union after the resume');
  const again = await probe.cancel(id);
  lab.expect(
    again.error?.code === -32002,
    `a cancel of the ended task is answered ${again.text.slice(0, 200)}`,
  );
}

function recorded(owner: Record<string, unknown>): { requested_at: string } | undefined {
  return ((owner.metadata ?? {}) as Record<string, unknown>)[KEY.cancel] as
    | { requested_at: string }
    | undefined;
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-05',
  cases: () => [{ name: 'cancelled-while-away', estimateMs: 800, deadlineMs: 30_000, run: cancelled }],
};
