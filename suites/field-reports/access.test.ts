/** Public reports about who may do what, and what a refusal leaves behind. */

import assert from 'node:assert/strict';
import { ended, taskOf } from '../../src/harness/run/observe.js';
import { heldTask } from '../../src/harness/run/story.js';
import { countTasks, list } from '../../src/harness/run/tasks.js';
import { type Json, UPGRADE } from '../../src/harness/wire/probe.js';
import { wireMessage } from '../../src/harness/wire/request.js';
import { EXT } from '../../src/profile/names.js';
import { sharingAnExecutor } from './field-report.js';

const OF_NO_TASK = new Set([
  ...['SendMessage', 'SendStreamingMessage', 'ListTasks', 'GetExtendedAgentCard'],
  ...['create', 'describe', UPGRADE],
]);

describe('public reports: access and negotiation', () => {
  const report = sharingAnExecutor();

  report('OPEN-34', 'somebody else’s task is no task, in every operation', async (lab) => {
    const executor = await lab.executor();
    const [owner, other] = [executor.probe(), executor.probe(executor.other)];
    const { taskId: id } = await heldTask(lab, executor, owner, 'v', []);
    const before = taskOf(await owner.get(id), 'GetTask');
    const foreign = lab.script(executor, 'f', ['say y']);
    // These make a task of their own or name none; every other operation names the owner's.
    const named = other.operations(id, foreign).filter(({ name }) => !OF_NO_TASK.has(name));
    const unknown = other.operations('task-of-nobody', foreign);
    for (const { name, call } of named) {
      const [theirs, nobody] = [await call({}), await unknown.find((one) => one.name === name)?.call({})];
      assert.notEqual(theirs.error, undefined, name);
      assert.equal(theirs.text.replace(/"id":\d+/, ''), nobody?.text.replace(/"id":\d+/, ''), name);
    }
    const subscribed = other.subscribe(id);
    assert.equal((await subscribed.refusal)?.error?.reason, 'TASK_NOT_FOUND');
    if (other.list !== undefined) {
      const listed = taskOf(await list(other), 'ListTasks').tasks as { id: string }[];
      assert.ok(!listed.some((task) => task.id === id));
    }
    assert.deepEqual(taskOf(await owner.get(id), 'GetTask'), before, 'the owner’s task is as it was');
    await executor.holds.release(lab.scriptId('v'), 'go');
    await ended(owner, id);
  });

  report(
    'OPEN-41',
    'the required extension: refused with its own error before anything, matched exactly',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      const count = () => countTasks(executor, probe);
      const before = await count();
      const request = lab.script(executor, 'n', ['say x']);
      for (const extensions of [
        false,
        `${EXT.slice(0, -1)}0`,
        EXT.toUpperCase(),
        `${EXT}/`,
        'urn:x',
      ] as const) {
        const answer = await probe.create(request, { extensions });
        assert.deepEqual(
          [answer.error?.code, answer.error?.reason, answer.echoed],
          [-32008, 'NOT_NEGOTIATED', false],
          String(extensions),
        );
      }
      const legacy = await probe.create(request, { extensions: false, headers: { 'X-A2A-Extensions': EXT } });
      assert.equal(legacy.error?.code, -32008);
      assert.equal(await count(), before, 'no refusal made a task');
      const stream = probe.createStreaming(request, { extensions: false });
      assert.equal((await stream.refusal)?.error?.code, -32008);
      const listed = await probe.create(request, { extensions: ` urn:t:opt/v1 ,, ${EXT} ,urn:t:unknown` });
      assert.ok(listed.echoed && !listed.text.includes('urn:t:unknown'));
      await ended(probe, String(taskOf(listed, 'the create').id));
      assert.equal(await count(), before + 1);
    },
    // The OAB protocol is the profile itself: its subprotocol is all there is to negotiate.
    { on: ['JSONRPC', 'HTTP+JSON', 'WSS'] },
  );

  report('OPEN-42', 'a message for a task is refused before anything is written', async (lab) => {
    const executor = await lab.executor();
    const probe = executor.probe();
    const started = await heldTask(lab, executor, probe, 't', []);
    const { task: created, taskId: id } = started;
    const before = (await probe.get(id)).text.replace(/"id":\d+,/, '');
    const next = lab.script(executor, 'u', ['say y']);
    for (const more of [
      { taskId: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' },
      { taskId: id, contextId: 'context-of-another' },
      { taskId: id },
      { contextId: String(created.contextId) },
      { referenceTaskIds: [id] },
    ]) {
      // Where the binding has no message, the same stands beside the request.
      const answer =
        lab.binding === 'OAB'
          ? await probe.create(next, { params: snakeCased(more) })
          : await probe.create(next, { message: { ...wireMessage(next), ...more } });
      const reason = lab.binding === 'OAB' ? 'UNKNOWN_MEMBER' : 'MALFORMED';
      assert.equal(answer.error?.reason, reason, JSON.stringify(more));
      assert.equal(
        (await probe.get(id)).text.replace(/"id":\d+,/, ''),
        before,
        'the task is byte for byte as it was',
      );
    }
    await executor.holds.release(lab.scriptId('t'), 'go');
    await ended(probe, id);
    assert.equal((await executor.holds.ledger(lab.scriptId('u'))).length, 0);
  });
});

const snakeCased = (json: Json): Json =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
