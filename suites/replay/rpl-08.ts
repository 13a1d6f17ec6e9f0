/** RPL-08: a cursor outlives the process that gave it. The replica half is not exercised by a subject of one replica. */
import { finished } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { resultOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER, heldTask } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

async function restarted(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  lab.needs(executor, 'kill', 'start');
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'k', AFTER);
  const before = await tail(probe, started.taskId, '0', 'before');
  await executor.kill();
  await executor.start();
  const envelope = resultOf(taskOf(await probe.get(started.taskId), 'GetTask after the restart')) ?? {};
  const places = before.map(({ sequence }) => sequence);
  for (const { index, point: sequence } of lab.sweep('cursors', places)) {
    const cursor = before[index]?.cursor ?? '';
    lab.attempt();
    const after = await tail(probe, started.taskId, cursor, 'after');
    lab.expect(
      after[0]?.sequence === sequence + 1,
      `the cursor of ${sequence} resumes at ${after[0]?.sequence ?? 'nothing'} after the restart`,
    );
    lab.holds(finished([...before.slice(0, sequence), ...after], envelope), `from the cursor of ${sequence}`);
  }
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-08',
  cases: () => [
    { name: 'restarted', estimateMs: 1500, deadlineMs: 40_000, needs: ['kill', 'start'], run: restarted },
  ],
};
