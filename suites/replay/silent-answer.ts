/** RPL-14 in a create: the request has arrived, and its answer falls into silence. The same bytes are sent again, and the task is one. */
import { Undetermined } from '../../src/harness/check.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { TapConnection } from '../../src/harness/lab/ports.js';
import { sentCalls } from '../../src/harness/lab/sent-calls.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';

/** An answer has no heartbeats: how long one is waited for is the coordinator's setting. */
const TIMEOUT = '2s';
/** Holds the answer back until the silence has fallen. */
const LATE_MS = 300;
/** In every Task, and in nothing that an executor says before there is one. */
const ANSWER = 'TASK_STATE_';

const createsOn = (connection: TapConnection) =>
  sentCalls(connection).filter(({ does }) => does === 'create');

export async function silentAnswer(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const link = await lab.link(executor, 'a');
  const proxy = await link.proxy();
  const late = await proxy.addToxic({ type: 'latency', attributes: { latency: LATE_MS } });
  const request = lab.script(executor, 'a', ['say done']);
  const job = lab.job(executor, executor.gate.keyFile, request, link.address);
  const run = lab.coordinator().run('delegate', { ...job, timeout: TIMEOUT });
  const asked = await until(() => link.tap.connections.find((one) => createsOn(one).length > 0), {
    ms: 15_000,
    what: 'the create on the link',
    everyMs: 5,
  });
  await lab.took(asked.cut({ kind: 'silence', direction: 'downstream', at: 'now' }), 'a silence');
  if (asked.plain('downstream').includes(ANSWER))
    throw new Undetermined('the fault did not take: the answer was there before the silence');
  await late.remove();
  const result = await run.result;
  lab.evidence('lines.json', run.lines);
  lab.expect(
    result?.outcome === 'completed' && result.verified === true && result.observation === 'complete',
    `after the answer was lost in silence: ${JSON.stringify(result)}`,
  );
  const creates = link.tap.connections.flatMap(createsOn).map(({ message }) => message);
  lab.expect(
    creates.length > 1,
    `${creates.length} creates were sent; the lost answer was not asked for again`,
  );
  lab.expect(new Set(creates).size === 1, 'the create that was sent again is another message');
  const prompts = (await executor.holds.ledger(lab.scriptId('a'))).filter(({ kind }) => kind === 'prompt');
  lab.expect(prompts.length === 1, `the agent was prompted ${prompts.length} times`);
}
