/** RPL-10: reconnects, replays and duplicate creates start and prompt the agent once. */
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER, heldTask, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

const STORM = 20;

async function storm(lab: CaseLab): Promise<void> {
  // Of this case alone: every start of the agent in its ledger counts.
  const executor = await lab.fresh();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 's', ['effect once', ...AFTER]);
  const random = lab.random();
  const duplicates = async () => {
    for (const answer of await Promise.all(
      Array.from({ length: STORM }, () => probe.create(started.request)),
    )) {
      lab.attempt();
      const { id } = taskOf(answer, 'a duplicate create');
      lab.expect(id === started.taskId, `a duplicate create made ${String(id)} beside ${started.taskId}`);
    }
  };
  const observers = Array.from({ length: STORM }, () => probe.subscribe(started.taskId));
  await Promise.all(observers.map((session) => session.until((frames) => frames.length > 0)));
  for (const session of random.shuffle(observers)) session.close();
  await duplicates();
  await release(executor, started);
  await ended(probe, started.taskId);
  await duplicates();
  await Promise.all(Array.from({ length: STORM }, () => tail(probe, started.taskId, '0', 'replay')));
  const streamed = probe.createStreaming(started.request);
  await streamed.until((frames) => frames.length > 0);
  const first = streamed.frames[0];
  lab.expect(
    (first?.json.task as { id?: string } | undefined)?.id === started.taskId,
    'a duplicate by streaming does not begin with the task',
  );
  await streamed.ended;
  lab.expect(streamed.frames.length === 1, 'a duplicate by streaming of an ended task is more than its Task');
  const ledger = await executor.holds.ledger();
  lab.evidence('ledger.json', ledger);
  lab.holds(exactly(ledger, { prompts: 1, starts: 1 }), 'the agent’s own ledger');
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-10',
  cases: () => [{ name: 'storm', estimateMs: 1500, deadlineMs: 30_000, run: storm }],
};
