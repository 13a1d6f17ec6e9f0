/** RPL-02: an undisturbed observer has the Task, then every later event, and with the tail the whole log. */
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, isTerminalFrame, resultOf, seenOf, tail } from '../../src/harness/run/observe.js';
import { AFTER, heldTask, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

async function undisturbed(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'u', AFTER);
  const session = probe.subscribe(started.taskId);
  await session.until((frames) => frames.length > 0);
  const first = session.frames[0];
  lab.expect(first?.kind === 'task', `the first frame is ${first?.kind ?? 'none'}, not the Task`);
  await release(executor, started);
  await session.until((frames) => frames.some(isTerminalFrame));
  const end = await session.ended;
  lab.expect(end === 'fin', `the stream ended by ${end} after the terminal event, not by a close`);
  lab.holds(session.strange(), 'something on the stream that is neither data nor a comment');

  const live = seenOf(session, 'live');
  const at = first?.sequence ?? 0;
  lab.expect(at >= 1, 'the leading Task does not say what it includes');
  lab.expect(
    live[0]?.sequence === at + 1,
    `after the Task at ${at} comes event ${live[0]?.sequence ?? 'none'}`,
  );
  lab.holds(ordered(live), 'live events');
  lab.expect(
    session.frames.filter(isTerminalFrame).length === 1,
    'not exactly one terminal event on the stream',
  );
  lab.expect(
    isTerminalFrame(session.frames.at(-1) as (typeof session.frames)[number]),
    'the terminal event is not the last',
  );

  const task = await ended(probe, started.taskId);
  const before = await tail(probe, started.taskId, '0', 'tail');
  lab.evidence('history.json', [...before, ...live]);
  lab.holds(ordered(before), 'the tail');
  lab.holds(finished([...before, ...live], resultOf(task) ?? {}), 'the union of tail and stream');
}

/** A create by streaming is the same observation from the first moment. */
async function streamed(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const session = probe.createStreaming(lab.script(executor, 's', [...AFTER]));
  await session.until((frames) => frames.some(isTerminalFrame));
  const first = session.frames[0];
  lab.expect(first?.kind === 'task', `the first frame of a streaming create is ${first?.kind ?? 'none'}`);
  const live = seenOf(session, 'live');
  lab.holds(ordered(live), 'live events');
  lab.expect(
    live[0]?.sequence === (first?.sequence ?? 0) + 1,
    'the stream does not go on right after its Task',
  );
  const id = String((first?.json.task as { id?: string } | undefined)?.id);
  const all = [...(await tail(probe, id, '0', 'tail')), ...live];
  lab.evidence('history.json', all);
  lab.holds(finished(all, resultOf(await ended(probe, id)) ?? {}), 'the union of tail and stream');
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-02',
  cases: () => [
    { name: 'subscribed', estimateMs: 700, deadlineMs: 30_000, run: undisturbed },
    { name: 'created-by-streaming', estimateMs: 700, deadlineMs: 30_000, run: streamed },
  ],
};
