/** PRF-09: nothing of the caller's own rides along: five families, in every metadata object, at every depth. */

import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { taskOf } from '../../src/harness/run/observe.js';
import { heldTask, release } from '../../src/harness/run/story.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { type WireRequest, wireMessage } from '../../src/harness/wire/request.js';
import { KEY } from '../../src/profile/names.js';

const FAMILIES: Record<string, Json> = {
  credential: { credential: { type: 'bearer', token: 'canary' } },
  session: { session: { id: 'canary' } },
  environment: { env: { PATH: '/canary' } },
  'host-path': { host_path: '/home/canary/.ssh' },
  'tool-handle': { tools: [{ server: 'stdio', handle: 'canary' }] },
};

/** What `probe.create` is told beside its request. */
interface Send {
  message?: Json;
  configuration?: Json;
  params?: Json;
}

interface A2aSend extends Send {
  message: Json;
  configuration: Json;
}

type Put = (request: WireRequest, more: Json) => { request: WireRequest; send: Send };

/** Where an honest create has room for something more, on A2A: the message carries the request. */
const A2A_PLACES: Record<string, (send: A2aSend, more: Json) => A2aSend> = {
  'request metadata': (send, more) => ({ ...send, params: { metadata: more } }),
  'configuration metadata': (send, more) => ({
    ...send,
    configuration: { ...send.configuration, metadata: more },
  }),
  'message metadata': (send, more) => inMetadata(send, (metadata) => ({ ...metadata, ...more })),
  'part metadata': (send, more) => ({
    ...send,
    message: {
      ...send.message,
      parts: (send.message.parts as Json[]).map((part) => ({ ...part, metadata: more })),
    },
  }),
  'the request': (send, more) => inRequest(send, (request) => ({ ...request, ...more })),
  'the budget': (send, more) =>
    inRequest(send, (request) => ({ ...request, budget: { ...(request.budget as Json), ...more } })),
  'a member of the extension': (send, more) =>
    inMetadata(send, (metadata) => ({ ...metadata, [KEY.owner]: more })),
};

function inMetadata(send: A2aSend, change: (metadata: Json) => Json): A2aSend {
  return { ...send, message: { ...send.message, metadata: change(send.message.metadata as Json) } };
}

function inRequest(send: A2aSend, change: (request: Json) => Json): A2aSend {
  return inMetadata(send, (metadata) => ({
    ...metadata,
    [KEY.request]: change(metadata[KEY.request] as Json),
  }));
}

/** On OAB, which has no other object than these. */
const OAB_PLACES: Record<string, Put> = {
  'the request': (request, more) => ({ request: { ...request, ...more }, send: {} }),
  'the budget': (request, more) => ({
    request: { ...request, budget: { ...(request.budget as Json), ...more } },
    send: {},
  }),
  params: (request, more) => ({ request, send: { params: more } }),
};

function placesOf(binding: string): Record<string, Put> {
  if (binding === 'OAB') return OAB_PLACES;
  const puts = Object.entries(A2A_PLACES).map(([place, put]): [string, Put] => [
    place,
    (request, more) => {
      const honest = { message: wireMessage(request), configuration: { returnImmediately: true } };
      return { request, send: put(honest, more) };
    },
  ]);
  return Object.fromEntries(puts);
}

const family = (name: string) => async (lab: CaseLab) => {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const places = placesOf(lab.binding);
  for (const { point: place } of lab.sweep('places', Object.keys(places))) {
    const put = places[place] as Put;
    lab.attempt();
    const { request, send } = put(lab.script(executor, 'never', ['say x']), FAMILIES[name] as Json);
    const answer = await probe.create(request, send);
    lab.expect(
      answer.error?.reason === 'UNKNOWN_MEMBER',
      `${name} in ${place} is answered ${answer.text.slice(0, 200)}`,
    );
    lab.expect(!answer.text.includes('canary'), `the refusal of ${name} in ${place} repeats what it refuses`);
  }
  const total = await countTasks(executor, probe);
  lab.expect(total === 0, `refused creates left ${total} tasks`);
  lab.holds(exactly(await executor.holds.ledger(), { prompts: 0, starts: 0 }), 'the agent’s own ledger');
};

/** A member of the core that nobody knows is ignored (A2A 5.7): it is not stored and not handed on. */
async function ignored(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'i', ['say x']);
  const again = await probe.create(started.request, {
    message: { ...wireMessage(started.request), later: { secret: 'canary' } },
  });
  const task = taskOf(again, 'a create with an unknown core member');
  lab.expect(task.id === started.taskId, 'an unknown core member makes another request of it');
  await release(executor, started);
  const shown = (await probe.get(started.taskId, { cursor: '0' })).text;
  lab.expect(!shown.includes('canary'), 'an unknown core member is stored and shown');
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-09',
  cases: ({ binding }) => [
    ...Object.keys(FAMILIES).map((name) => ({
      name,
      estimateMs: 500,
      deadlineMs: 20_000,
      run: family(name),
    })),
    // OAB has no core of another's: whatever nobody knows is refused.
    ...(binding === 'OAB'
      ? []
      : [{ name: 'unknown-core-member', estimateMs: 300, deadlineMs: 20_000, run: ignored }]),
  ],
};
