/** Public reports about requests that were sent more than once, or that looked as if they had to be. */
import assert from 'node:assert/strict';
import { ended, taskOf } from '../../src/harness/run/observe.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { sharingAnExecutor } from './field-report.js';
import { delegateTo } from './to-fake.js';

const CREATES = new Set(['SendMessage', 'create']);

describe('public reports: retries', () => {
  const report = sharingAnExecutor();

  report(
    'OPEN-13',
    'the same bytes again, after a lost answer, at once fifty times, and after a crash: one task',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      const prompts = async (part: string) =>
        (await executor.holds.ledger(lab.scriptId(part))).filter(({ kind }) => kind === 'prompt').length;

      const lost = lab.script(executor, 'lost', ['say x']);
      const link = await lab.link(executor, 'lost');
      // Behind the first byte of the answer: the request has arrived whole.
      const cut = link.tap.arm({
        kind: 'reset',
        direction: 'downstream',
        at: { answer: Number.MAX_SAFE_INTEGER },
      });
      await assert.rejects(probe.create(lost, { via: link.address }));
      await lab.took(cut, 'a reset before the answer');
      const again = String(taskOf(await probe.create(lost), 'the retry').id);
      await ended(probe, again);
      assert.equal(await prompts('lost'), 1);

      const many = lab.script(executor, 'many', ['say x']);
      const ids = await Promise.all(
        Array.from({ length: 50 }, async () => taskOf(await probe.create(many), 'one of fifty').id),
      );
      assert.equal(new Set(ids).size, 1);
      await ended(probe, String(ids[0]));
      assert.equal(await prompts('many'), 1);

      const crashed = lab.script(executor, 'crashed', ['say x', 'hold never']);
      const before = String(taskOf(await probe.create(crashed), 'before the crash').id);
      await executor.holds.waiting(lab.scriptId('crashed'), 'never');
      await executor.kill();
      await executor.start();
      assert.equal(taskOf(await probe.create(crashed), 'after the crash').id, before);
      assert.equal(await prompts('crashed'), 1, 'nothing is prompted a second time');
    },
  );

  report(
    'OPEN-14',
    'an answer that does not come is asked for again under the same id, never under another',
    async (lab) => {
      let silent = 2;
      const { run, fake } = await delegateTo(
        lab,
        {
          answer(method, _, way) {
            if (!CREATES.has(method) || silent === 0) return false;
            silent -= 1;
            // The caller hears nothing until its own time for an answer is over.
            setTimeout(() => way.drop(), 300).unref();
            return true;
          },
        },
        wireRequest('oab-b', 'a task for the harness itself'),
      );
      const result = await run.result;
      const creates = fake.received
        .filter(({ rpc = '' }) => CREATES.has(rpc))
        .map(({ body }) => JSON.parse(body) as { params?: unknown });
      assert.equal(creates.length, 3);
      assert.equal(
        new Set(creates.map((body) => JSON.stringify(body.params ?? body))).size,
        1,
        'the same message each time',
      );
      assert.equal(result?.outcome, 'completed');
    },
  );

  report('OPEN-16', 'a task that is completed is not delegated again', async (lab) => {
    const { run, fake } = await delegateTo(lab, {}, wireRequest('oab-b', 'a task for the harness itself'));
    assert.equal((await run.result)?.outcome, 'completed');
    assert.equal(await run.exit, 0);
    assert.equal(fake.received.filter(({ rpc = '' }) => CREATES.has(rpc)).length, 1);
  });
});
