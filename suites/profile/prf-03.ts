/** PRF-03: who does not negotiate is refused on every operation without a trace; a peer without it gets nothing. */

import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { positionOf, stateOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { heldTask, release } from '../../src/harness/run/story.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import { type Json, UPGRADE } from '../../src/harness/wire/probe.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { EXT } from '../../src/profile/names.js';

/** What a client may say in place of the extension: nothing, something else, something like it. */
const INSTEAD: readonly (false | string)[] = [
  false,
  'https://example.invalid/other/v1',
  `${EXT}/`,
  EXT.replace('/v1', '/v2'),
  EXT.toUpperCase(),
];

async function operations(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'o', ['say after']);
  const before = taskOf(await probe.get(started.taskId), 'GetTask');
  const listed = await countTasks(executor, probe);
  const names = new Set<string>();
  for (const extensions of INSTEAD) {
    for (const { name, call } of probe.operations(started.taskId, lab.script(executor, 'never', ['say x']))) {
      lab.attempt();
      if (name !== UPGRADE) names.add(name);
      const answer = await call({ extensions });
      const refused = answer.error?.code === -32008 && answer.error.reason === 'NOT_NEGOTIATED';
      lab.expect(
        refused,
        `${name} with ${String(extensions)} is answered ${answer.status} ${answer.text.slice(0, 200)}`,
      );
      lab.expect(
        answer.result === undefined,
        `${name} with ${String(extensions)} has a result beside the refusal`,
      );
    }
  }
  lab.expect(names.size === 11, `the binding has ${names.size} operations, not eleven`);
  const after = taskOf(await probe.get(started.taskId), 'GetTask');
  lab.expect(
    positionOf(after).sequence === positionOf(before).sequence && stateOf(after) === stateOf(before),
    `a refused operation moved the task from ${positionOf(before).sequence} ${stateOf(before)} to ${positionOf(after).sequence} ${stateOf(after)}`,
  );
  const now = await countTasks(executor, probe);
  lab.expect(now === listed, `refused operations left ${now - listed} tasks`);
  const prompts = (await executor.holds.ledger()).filter(({ kind }) => kind === 'prompt');
  lab.expect(prompts.length === 1, `the agent was prompted ${prompts.length} times, not once`);
  // With it, in a list of others, all is as before.
  const mixed = await probe.get(started.taskId, { extensions: `https://example.invalid/other/v1, ${EXT}` });
  lab.expect(
    mixed.result !== undefined && mixed.echoed,
    'the extension in a list of others is not activated and echoed',
  );
  await release(executor, started);
  lab.evidence('history.json', await tail(probe, started.taskId, '0', 'tail'));
}

/** How a card may lack what a coordinator needs before it sends anything. */
const CARDS: Record<string, (card: Json) => Json> = {
  'without-the-extension': (card) => withExtensions(card, () => []),
  'another-version': (card) =>
    withExtensions(card, (all) => all.map((one) => ({ ...one, uri: EXT.replace('/v1', '/v2') }))),
  'not-required': (card) => withExtensions(card, (all) => all.map((one) => ({ ...one, required: false }))),
  'invalid-params': (card) =>
    withExtensions(card, (all) => all.map((one) => ({ ...one, params: { maxDepth: 2 } }))),
};

function withExtensions(card: Json, change: (extensions: Json[]) => Json[]): Json {
  const capabilities = card.capabilities as { extensions: Json[] };
  return { ...card, capabilities: { ...capabilities, extensions: change(capabilities.extensions) } };
}

const card = (name: string) => async (lab: CaseLab) => {
  const executor = await lab.executor();
  const fake = await lab.fake('gate', { card: CARDS[name] as (card: Json) => Json });
  const request = jobRequest(wireRequest(fake.peer, 'case: never\nsay x'));
  const run = lab.coordinator().run('delegate', lab.jobTo(fake, executor.gate.keyFile, request));
  const result = await run.result;
  const code = await run.exit;
  lab.evidence('received.json', fake.received);
  lab.evidence('lines.json', run.lines);
  const more = fake.received.filter(({ path }) => path !== '/.well-known/agent-card.json');
  lab.expect(
    more.length === 0,
    `the coordinator sent ${more.map(({ rpc, path }) => rpc ?? path).join(', ')} to a peer that does not negotiate`,
  );
  lab.expect(
    fake.received.every(({ authorization }) => !authorization),
    'a credential was sent with the request for the card',
  );
  lab.expect(fake.received.length > 0, 'the coordinator did not even ask for the card');
  lab.expect(
    result !== undefined && result.outcome !== 'completed' && result.verified !== true,
    `the coordinator reports ${JSON.stringify(result)}`,
  );
  lab.expect(
    code === 3 || code === 4,
    `the coordinator exits ${String(code)} after a delegation that was refused`,
  );
};

export function jobRequest(request: { request_id: string; task: string; capabilities: string[] }) {
  const { request_id, task, capabilities } = request;
  return { request_id, task, capabilities, deadline_ms: 20_000, max_output_bytes: 256 * 1024 };
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-03',
  cases: () => [
    { name: 'operations', estimateMs: 900, deadlineMs: 30_000, run: operations },
    ...Object.keys(CARDS).map((name) => ({
      name: `card-${name}`,
      estimateMs: 600,
      deadlineMs: 30_000,
      run: card(name),
    })),
  ],
};
