/** Public reports about agents behind stdio: cancels they misunderstand, noise, odd lines, permissions, orphans. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, stateOf, taskOf } from '../../src/harness/run/observe.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import { fieldReport, sharingAnExecutor } from './field-report.js';

/** Creates, and gives probe and task id. */
async function created(lab: CaseLab, executor: ExecutorSubject, part: string, script: string[], more = {}) {
  const probe = executor.probe();
  const id = String(taskOf(await probe.create(lab.script(executor, part, script, more)), 'the create').id);
  return { probe, id };
}

const textOf = (task: Record<string, unknown>) =>
  ((task.artifacts ?? []) as { parts: { text?: string }[] }[])
    .flatMap(({ parts }) => parts)
    .map(({ text = '' }) => text)
    .join('');

describe('public reports: agents over stdio', () => {
  const report = sharingAnExecutor(['JSONRPC']);

  for (const [how, script, state] of [
    ['answers end_turn all the same', ['on-cancel end_turn'], 'TASK_STATE_COMPLETED'],
    ['answers cancelled', [], 'TASK_STATE_CANCELED'],
    ['answers an error', ['on-cancel error'], 'TASK_STATE_CANCELED'],
    ['pays no heed', ['ignore-cancel'], 'TASK_STATE_CANCELED'],
  ] as const) {
    report('OPEN-45', `an agent that ${how} when it is cancelled`, async (lab) => {
      const executor = await lab.executor();
      const { probe, id } = await created(lab, executor, 'c', [...script, 'say a', 'hold never']);
      await executor.holds.waiting(lab.scriptId('c'), 'never');
      await probe.cancel(id);
      const task = await ended(probe, id);
      assert.equal(stateOf(task), state);
      assert.notEqual(resultOf(task)?.cancel_requested_at, undefined, 'the recorded cancel is kept');
    });
  }

  report('OPEN-45', 'an agent that goes on talking when it is cancelled', async (lab) => {
    const executor = await lab.executor();
    const { probe, id } = await created(lab, executor, 't', ['ignore-cancel', 'say a', 'chatter']);
    const reader = probe.subscribe(id);
    await reader.until((frames) => frames.length > 2);
    await probe.cancel(id);
    const task = await ended(probe, id);
    assert.equal(stateOf(task), 'TASK_STATE_CANCELED');
    await reader.ended;
    const next = await created(lab, executor, 'u', ['say fine']);
    assert.equal(stateOf(await ended(next.probe, next.id)), 'TASK_STATE_COMPLETED');
    assert.deepEqual(taskOf(await probe.get(id), 'GetTask'), task, 'nothing is added behind the end');
  });

  report(
    'OPEN-45',
    'a cancel that comes before the prompt, and a next task that is not dropped',
    async (lab) => {
      const executor = await lab.executor();
      for (let round = 0; round < 6; round += 1) {
        const { probe, id } = await created(lab, executor, `e${round}`, ['say a', 'hold never']);
        await probe.cancel(id);
        assert.equal(stateOf(await ended(probe, id)), 'TASK_STATE_CANCELED');
      }
      const { probe, id } = await created(lab, executor, 'next', ['say fine']);
      assert.equal(stateOf(await ended(probe, id)), 'TASK_STATE_COMPLETED');
    },
  );

  report('OPEN-45', 'a cancel within milliseconds of the prompt, before any update', async (lab) => {
    const executor = await lab.executor();
    for (let ms = 0; ms <= 5; ms += 1) {
      const { probe, id } = await created(lab, executor, `p${ms}`, ['hold never']);
      await executor.holds.waiting(lab.scriptId(`p${ms}`), 'never');
      await delay(ms);
      await probe.cancel(id);
      const task = await ended(probe, id);
      assert.equal(stateOf(task), 'TASK_STATE_CANCELED');
      const ledger = await executor.holds.ledger(lab.scriptId(`p${ms}`));
      assert.deepEqual(
        ledger.map(({ kind }) => kind).filter((kind) => kind === 'prompt' || kind === 'cancel'),
        ['prompt', 'cancel'],
        'the agent was prompted, and then told',
      );
      assert.equal(textOf(task), '', 'there was no update');
    }
    const { probe, id } = await created(lab, executor, 'behind', ['say fine']);
    assert.equal(stateOf(await ended(probe, id)), 'TASK_STATE_COMPLETED');
  });

  report(
    'OPEN-46',
    'a little noise on stdout is borne, a flood ends the task with its reason',
    async (lab) => {
      const executor = await lab.executor();
      const little = await created(lab, executor, 'l', ['noise 20', 'say fine']);
      const task = await ended(little.probe, little.id);
      assert.equal(stateOf(task), 'TASK_STATE_COMPLETED');
      assert.match(textOf(task), /fine/);
      const odd = await created(lab, executor, 'd', ['odd-noise between', 'say after']);
      const survived = await ended(odd.probe, odd.id);
      assert.equal(stateOf(survived), 'TASK_STATE_COMPLETED');
      assert.match(textOf(survived), /between[\s\S]*after/);
      // Its last message has no line end, and counts; that there is no answer to the prompt is another matter.
      const last = await created(lab, executor, 'w', ['odd-noise between', 'last-words all of it']);
      const gone = await ended(last.probe, last.id);
      assert.equal(stateOf(gone), 'TASK_STATE_FAILED');
      assert.match(textOf(gone), /between[\s\S]*all of it$/);
      const flood = await created(lab, executor, 'f', ['noise 5000', 'say never']);
      const envelope = resultOf(await ended(flood.probe, flood.id));
      assert.equal((envelope?.error as { code: string } | null)?.code, 'AGENT_PROTOCOL');
    },
  );

  report('OPEN-47', 'only a line feed ends a message, and long lines pass', async (lab) => {
    const executor = await lab.executor();
    const odd = await created(lab, executor, 'o', ['separators', 'say after']);
    assert.match(textOf(await ended(odd.probe, odd.id)), /\u2028[\s\S]*\u2029[\s\S]*\u0085[\s\S]*after/);
    for (const line of ['65537 in 64', '65537 in 65536', `${5 * 1024 * 1024} in 65536`]) {
      const part = `l${line.replaceAll(' ', '-')}`;
      const sliced = await created(lab, executor, part, [`thought-line ${line}`, 'say behind']);
      assert.match(textOf(await ended(sliced.probe, sliced.id)), /^behind/, line);
    }
    const long = await created(lab, executor, 'b', ['say-bytes 200000', 'say after'], {
      budget: { max_output_bytes: 1_000_000 },
    });
    const text = textOf(await ended(long.probe, long.id));
    assert.ok(text.length >= 200_000 && /after/.test(text), `${text.length} characters`);
  });

  report('OPEN-48', 'a permission request is answered, and holds nobody up', async (lab) => {
    const executor = await lab.executor();
    const { probe, id } = await created(lab, executor, 'a', [
      'ask read x',
      'ask edit y',
      'ask-odd read z',
      'say done',
    ]);
    const other = await created(lab, executor, 'b', ['say done']);
    const [first, second] = [await ended(probe, id), await ended(other.probe, other.id)];
    assert.deepEqual([stateOf(first), stateOf(second)], ['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
    const asked = (await executor.holds.ledger(lab.scriptId('a'))).filter(
      ({ kind }) => kind === 'permission',
    );
    assert.equal(asked.length, 3, 'every request has its answer');
    const chosen = asked.map((entry) => String(entry.chosen));
    assert.match(chosen[0] ?? '', /once/);
    assert.doesNotMatch(chosen.join(), /always/);
  });

  report(
    'OPEN-48',
    'while a permission request is open another session works, and so does a cancel',
    async (lab) => {
      const executor = await lab.executor();
      for (const [part, cancelled] of [
        ['open', false],
        ['broken', true],
      ] as const) {
        const { probe, id } = await created(lab, executor, part, ['ask-unread go read x', 'say done']);
        await executor.holds.waiting(lab.scriptId(part), 'go');
        const other = await created(lab, executor, `${part}-other`, ['ask read y', 'say done']);
        assert.equal(stateOf(await ended(other.probe, other.id)), 'TASK_STATE_COMPLETED');
        assert.equal(
          stateOf(taskOf(await probe.get(id), 'GetTask')),
          'TASK_STATE_WORKING',
          'it is still open',
        );
        if (cancelled) await probe.cancel(id);
        await executor.holds.release(lab.scriptId(part), 'go');
        assert.equal(
          stateOf(await ended(probe, id)),
          cancelled ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED',
        );
      }
    },
  );

  report('OPEN-48', 'a permission that is asked during a cancel is answered cancelled', async (lab) => {
    const executor = await lab.executor();
    const script = ['ignore-cancel', 'hold go', 'ask read x', 'stop cancelled'];
    const { probe, id } = await created(lab, executor, 'p', script);
    await executor.holds.waiting(lab.scriptId('p'), 'go');
    await probe.cancel(id);
    await executor.holds.release(lab.scriptId('p'), 'go');
    assert.equal(stateOf(await ended(probe, id)), 'TASK_STATE_CANCELED');
    const ledger = await executor.holds.ledger(lab.scriptId('p'));
    const asked = ledger.filter(({ kind }) => kind === 'permission').map(({ chosen }) => chosen);
    assert.deepEqual(asked, ['cancelled']);
  });

  for (const [how, end] of [
    ['the task is done', undefined],
    ['it is cancelled', 'cancel'],
    ['the executor is asked to end', 'stop'],
    ['the executor is killed', 'kill'],
  ] as const) {
    fieldReport(
      'OPEN-49',
      `nothing that the agent started outlives it when ${how}`,
      async (lab) => {
        const inner = join(lab.lab.folder, 'inner.sh');
        writeFileSync(inner, `echo $$ > ${inner}.pid\n"$@"\n:\n`);
        const executor = await lab.fresh({ agentWrapper: inner });
        const { probe, id } = await created(lab, executor, 'g', ['child', 'say a', 'hold go']);
        await executor.holds.waiting(lab.scriptId('g'), 'go');
        const ledger = await executor.holds.ledger(lab.scriptId('g'));
        const child = ledger.find(({ kind }) => kind === 'child');
        const script = Number(readFileSync(`${inner}.pid`, 'utf8'));
        const pids = [script, Number(child?.childPid ?? 0), Number(ledger[0]?.pid)].filter((pid) => pid > 0);
        assert.equal(new Set(pids).size, 3, JSON.stringify(ledger));
        if (end === 'cancel') await probe.cancel(id);
        else if (end === 'kill') await executor.kill();
        else if (end === undefined) await executor.holds.release(lab.scriptId('g'), 'go');
        const stopping = end === 'stop' ? executor.stop() : undefined;
        if (end === 'stop') await probe.cancel(id);
        await until(() => (pids.some(alive) ? undefined : true), {
          ms: 15_000,
          what: `the end of ${pids.join(' and ')}`,
          everyMs: 20,
        });
        await stopping;
      },
      60_000,
    );
  }
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended may wait for somebody to take notice of it.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Nobody has this number any more.
    return false;
  }
}
