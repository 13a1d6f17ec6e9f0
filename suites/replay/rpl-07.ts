/** RPL-07: what becomes of three other observers does not touch the fourth (OPEN-06). */
import { finished, ordered } from '../../src/harness/checkers/history.js';
import { until } from '../../src/harness/lab/deadline.js';
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
import { heldTask, place, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

/** What a reader may be sent before it asks for more (profile 9). */
const FIRST_CREDIT = 64;

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

/** Where readers give credit: one that gives none gets what it had at first and no more, and may go on later. */
async function withoutCredit(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'c', ['chunks 200 of 100', 'hold end', 'say end']);
  const from = await place(probe, started.taskId);
  const [mean, well] = [
    probe.subscribe(started.taskId, { credit: false }),
    probe.subscribe(started.taskId),
  ] as const;
  for (const session of [mean, well]) await session.until((frames) => frames.length > 0);
  await release(executor, started);
  await executor.holds.waiting(started.script, 'end');
  await well.until((frames) => (frames.at(-1)?.sequence ?? 0) >= from.sequence + 200);
  // On WSS the Task is the first item of the stream; on OAB it is asked for before.
  const items = FIRST_CREDIT + (lab.binding === 'OAB' ? 1 : 0);
  await mean.until((frames) => frames.length >= items);
  // A server pings when it has sent nothing for a while: it has nothing more to send to this reader.
  const beats = mean.heartbeats();
  await until(() => (mean.heartbeats() > beats + 1 ? true : undefined), {
    ms: 10_000,
    what: 'a ping to the reader without credit',
    everyMs: 10,
  });
  await executor.holds.release(started.script, 'end');
  await well.until((frames) => frames.some(isTerminalFrame));
  const seen = seenOf(mean, 'without credit');
  lab.expect(
    seen.length === items - 1,
    `a reader that gave no credit was sent ${seen.length} events, not ${items - 1}`,
  );
  mean.close();
  const rest = await resume(probe, started.taskId, lastOf(seen, from), 'resumed');
  lab.holds(ordered([...seen, ...rest]), 'the union after the resume');
  lab.expect(
    rest.at(-1)?.sequence === seenOf(well, 'well').at(-1)?.sequence,
    'the reader that came back did not get to the end of the log',
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-07',
  cases: ({ binding }) => [
    { name: 'four-observers', estimateMs: 1000, deadlineMs: 40_000, run: four },
    ...(binding === 'OAB' || binding === 'WSS'
      ? [{ name: 'without-credit', estimateMs: 1500, deadlineMs: 40_000, run: withoutCredit }]
      : []),
  ],
};
