/** RPL-01: an acknowledged task id outlives the process that acknowledged it. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { resultOf, stateOf, taskOf } from '../../src/harness/run/observe.js';
import type { Suite } from '../../src/harness/suite.js';

const ROUNDS = 6;

async function killed(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  lab.needs(executor, 'kill', 'start');
  const probe = executor.probe();
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = lab.script(executor, `r${round}`, ['say x', 'hold never']);
    const acknowledged = taskOf(await probe.create(request), 'the create');
    await executor.kill();
    await executor.start();
    lab.attempt();
    const id = String(acknowledged.id);

    const task = taskOf(await probe.get(id), `round ${round}: GetTask after the restart`);
    lab.expect(task.id === id, `round ${round}: GetTask gives ${String(task.id)} for ${id}`);
    const result = resultOf(task);
    lab.expect(
      result !== undefined,
      `round ${round}: the task has no signed result after the restart, but ${stateOf(task)}`,
    );
    lab.expect(result?.status !== 'completed', `round ${round}: recovery called the task completed`);

    const session = probe.subscribe(id);
    const refusal = await session.refusal;
    const observed = refusal?.error?.code === -32004 || refusal === undefined;
    lab.expect(
      observed,
      `round ${round}: observe does not resolve the task: ${refusal?.text.slice(0, 200) ?? 'an open stream'}`,
    );
    session.close();

    const cancel = await probe.cancel(id);
    lab.expect(
      cancel.error?.code === -32002,
      `round ${round}: cancel does not resolve the ended task: ${cancel.text.slice(0, 200)}`,
    );
  }
  lab.evidence('ledger.json', await executor.holds.ledger());
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-01',
  cases: () => [
    {
      name: 'killed-after-acknowledgement',
      estimateMs: 6000,
      deadlineMs: 60_000,
      needs: ['kill', 'start'],
      run: killed,
    },
  ],
};
