/** RPL-06: who was never connected reads everything from cursor 0 after the end. */
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

const read = (lines: readonly string[]) => async (lab: CaseLab) => {
  const executor = await lab.executor();
  const probe = executor.probe();
  const id = String(taskOf(await probe.create(lab.script(executor, 'n', lines)), 'the create').id);
  const task = await ended(probe, id);
  const seen = await tail(probe, id, '0', 'tail');
  lab.evidence('history.json', seen.map(({ sequence, event }) => ({ sequence, event })).slice(0, 100));
  lab.holds(ordered(seen), 'the tail');
  lab.expect(seen[0]?.sequence === 1, `the tail begins with event ${seen[0]?.sequence ?? 'none'}`);
  lab.holds(finished(seen, resultOf(task) ?? {}), 'the tail');
};

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-06',
  cases: () => [
    { name: 'short', estimateMs: 400, deadlineMs: 30_000, run: read(AFTER) },
    // More than one page: 3,000 events of over 300 bytes each.
    { name: 'pages', estimateMs: 1500, deadlineMs: 30_000, run: read(['chunks 3000 of 60']) },
  ],
};
