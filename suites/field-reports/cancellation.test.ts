/** Public reports about cancelling: it ends, it stays ended, and one end is all there is. */
import assert from 'node:assert/strict';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, isTerminalFrame, resultOf, stateOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { sharingAnExecutor } from './field-report.js';

const CANCELED = 'TASK_STATE_CANCELED';

/** Creates, waits until the agent stands at `at`, and gives the task's id. */
async function waiting(lab: CaseLab, part: string, script: string[], at: string) {
  const executor = await lab.executor();
  const probe = executor.probe();
  const id = String(taskOf(await probe.create(lab.script(executor, part, script)), 'the create').id);
  await executor.holds.waiting(lab.scriptId(part), at);
  return { executor, probe, id };
}

describe('public reports: cancellation', () => {
  const report = sharingAnExecutor();

  report(
    'OPEN-09',
    'a cancel that was taken ends the task, also when the agent pays no heed',
    async (lab) => {
      const { probe, id } = await waiting(lab, 'deaf', ['ignore-cancel', 'say a', 'hold never'], 'never');
      const answer = taskOf(await probe.cancel(id), 'CancelTask');
      assert.equal(stateOf(answer), 'TASK_STATE_WORKING', 'the Task as it is');
      const task = await ended(probe, id);
      assert.equal(stateOf(task), CANCELED);
      assert.equal(resultOf(task)?.status, 'cancelled');
    },
  );

  report('OPEN-10', 'an end that was seen never changes, and nothing is added after it', async (lab) => {
    const { executor, probe, id } = await waiting(
      lab,
      'w',
      ['say a', 'effect one', 'hold go', ...Array.from({ length: 20 }, (_, n) => `effect more${n}`)],
      'go',
    );
    await probe.cancel(id);
    const first = await ended(probe, id);
    const log = await tail(probe, id, '0', 'first');
    const effects = (await executor.holds.ledger(lab.scriptId('w'))).filter(({ kind }) => kind === 'effect');
    await executor.holds.release(lab.scriptId('w'), 'go');
    // Another task from start to end: whatever of the cancelled one were still alive had its time.
    const other = lab.script(executor, 'o', ['say x', 'tool read y']);
    await ended(probe, String(taskOf(await probe.create(other), 'another create').id));
    assert.deepEqual(taskOf(await probe.get(id), 'GetTask'), first);
    assert.equal((await tail(probe, id, '0', 'second')).length, log.length);
    const now = (await executor.holds.ledger(lab.scriptId('w'))).filter(({ kind }) => kind === 'effect');
    assert.equal(now.length, effects.length, 'no effect after the end');
    assert.equal((await probe.cancel(id)).error?.reason, 'TASK_NOT_CANCELABLE');
    assert.equal(stateOf(taskOf(await probe.get(id), 'GetTask')), CANCELED);
  });

  report(
    'OPEN-11',
    'when completion and cancels race, one end is all that anybody ever sees',
    async (lab) => {
      const ROUNDS = 6;
      const executor = await lab.executor();
      const probe = executor.probe();
      const seen = new Set<string>();
      const round = async (index: number) => {
        const part = `r${index}`;
        const request = lab.script(executor, part, ['say a', 'hold go', 'say b']);
        const id = String(taskOf(await probe.create(request), 'the create').id);
        const session = probe.subscribe(id);
        await session.until((frames) => frames.length > 0);
        await executor.holds.waiting(lab.scriptId(part), 'go');
        const cancels = index % 3 === 0 ? 2 : 1;
        const [, ...answers] = await Promise.all([
          executor.holds.release(lab.scriptId(part), 'go'),
          ...Array.from({ length: cancels }, () => probe.cancel(id)),
        ]);
        for (const { result, error } of answers)
          assert.ok(result !== undefined || error?.reason === 'TASK_NOT_CANCELABLE', JSON.stringify(error));
        await session.until((frames) => frames.some(isTerminalFrame));
        await session.ended;
        const ends = session.frames.filter(isTerminalFrame);
        assert.equal(ends.length, 1, part);
        const task = await ended(probe, id);
        const state = stateOf(task);
        const update = ends[0]?.json.statusUpdate as { status: { state: string } } | undefined;
        const streamed = update?.status.state;
        assert.deepEqual([streamed, stateOf(taskOf(await probe.get(id), 'later'))], [state, state]);
        assert.equal(
          resultOf(task)?.status,
          { TASK_STATE_COMPLETED: 'completed', TASK_STATE_CANCELED: 'cancelled' }[state],
        );
        seen.add(state);
      };
      for (let at = 0; at < ROUNDS; at += 6)
        await Promise.all(Array.from({ length: 6 }, (_, index) => round(at + index)));
    },
    { deadlineMs: 60_000 },
  );
});
