/** PRF-09: nothing of the caller's own rides along: five families, in every metadata object, at every depth. */
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { taskOf } from '../../src/harness/run/observe.js';
import { heldTask, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { wireMessage } from '../../src/harness/wire/request.js';
import { KEY } from '../../src/profile/names.js';

const FAMILIES: Record<string, Json> = {
  credential: { credential: { type: 'bearer', token: 'canary' } },
  session: { session: { id: 'canary' } },
  environment: { env: { PATH: '/canary' } },
  'host-path': { host_path: '/home/canary/.ssh' },
  'tool-handle': { tools: [{ server: 'stdio', handle: 'canary' }] },
};

interface Send {
  message: Json;
  configuration: Json;
  params?: Json;
}

/** Where an honest create has room for something more. */
const PLACES: Record<string, (send: Send, more: Json) => Send> = {
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

function inMetadata(send: Send, change: (metadata: Json) => Json): Send {
  return { ...send, message: { ...send.message, metadata: change(send.message.metadata as Json) } };
}

function inRequest(send: Send, change: (request: Json) => Json): Send {
  return inMetadata(send, (metadata) => ({
    ...metadata,
    [KEY.request]: change(metadata[KEY.request] as Json),
  }));
}

const family = (name: string) => async (lab: CaseLab) => {
  const executor = await lab.fresh();
  const probe = executor.probe();
  for (const { point: place } of lab.sweep('places', Object.keys(PLACES))) {
    const put = PLACES[place] as (typeof PLACES)[string];
    lab.attempt();
    const request = lab.script(executor, 'never', ['say x']);
    const send = put(
      { message: wireMessage(request), configuration: { returnImmediately: true } },
      FAMILIES[name] as Json,
    );
    const answer = await probe.create(request, send);
    lab.expect(
      answer.error?.reason === 'UNKNOWN_MEMBER',
      `${name} in ${place} is answered ${answer.text.slice(0, 200)}`,
    );
    lab.expect(!answer.text.includes('canary'), `the refusal of ${name} in ${place} repeats what it refuses`);
  }
  const total = Number(taskOf(await probe.list(), 'ListTasks').totalSize);
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
  cases: () => [
    ...Object.keys(FAMILIES).map((name) => ({
      name,
      estimateMs: 500,
      deadlineMs: 20_000,
      run: family(name),
    })),
    { name: 'unknown-core-member', estimateMs: 300, deadlineMs: 20_000, run: ignored },
  ],
};
