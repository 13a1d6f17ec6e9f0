/** RPL-07: what becomes of three other observers does not touch the fourth (OPEN-06). */
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, isTerminalFrame, resultOf, seenOf, tail } from '../../src/harness/run/observe.js';
import { heldTask, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

async function four(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'f', ['chunks 300 of 1000']);
  const before = await tail(probe, started.taskId, '0', 'before');
  const [resetLink, slowLink] = [await lab.link(executor, 'reset'), await lab.link(executor, 'slow')];
  const cut = resetLink.tap.arm({
    kind: 'reset',
    direction: 'downstream',
    at: { frame: 5, framer: lab.framer },
  });
  await (await slowLink.proxy()).addToxic({ type: 'bandwidth', attributes: { rate: 10 } });
  const reset = probe.subscribe(started.taskId, { via: resetLink.address });
  const slow = probe.subscribe(started.taskId, { via: slowLink.address });
  const [stopped, closed, first] = [1, 2, 3].map(() => probe.subscribe(started.taskId)) as [
    typeof slow,
    typeof slow,
    typeof slow,
  ];
  for (const session of [reset, slow, stopped, closed, first])
    await session.until((frames) => frames.length > 0);
  stopped.pause();
  closed.close();
  await release(executor, started);

  await first.until((frames) => frames.some(isTerminalFrame));
  // In time: while a reader at 10 KB/s is still far from the end of 300 KB.
  lab.expect(
    !slow.frames.some(isTerminalFrame),
    'the slow observer was done before the first, or nothing slowed it',
  );
  await lab.took(cut, 'a reset of the second observer');
  const live = seenOf(first, 'first');
  lab.holds(ordered(live), 'the first observer');
  lab.holds(
    finished([...before, ...live], resultOf(await ended(probe, started.taskId)) ?? {}),
    'the first observer',
  );
  lab.evidence('others.json', {
    reset: reset.frames.length,
    slow: slow.frames.length,
    stopped: stopped.frames.length,
  });
  for (const session of [slow, stopped]) session.close();
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-07',
  cases: () => [{ name: 'four-observers', estimateMs: 1000, deadlineMs: 40_000, run: four }],
};
