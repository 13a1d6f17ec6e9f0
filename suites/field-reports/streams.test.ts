/** Public reports about streams: what becomes of a task, and of its end, when its observer goes. */
import assert from 'node:assert/strict';
import { finished, ordered } from '../../src/harness/checkers/history.js';
import { until } from '../../src/harness/lab/deadline.js';
import {
  ended,
  isTerminalFrame,
  lastOf,
  positionOf,
  resultOf,
  resume,
  seenOf,
  stateOf,
  tail,
  taskOf,
} from '../../src/harness/run/observe.js';
import { place, START } from '../../src/harness/run/story.js';
import type { Session } from '../../src/harness/wire/probe.js';
import { sharingAnExecutor } from './field-report.js';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [
    `say ${from + index}.`,
    `effect e${from + index}`,
  ]).flat();

/** The whole answer, as the Task holds it. */
function textOf(task: Record<string, unknown>): string {
  const [answer] = (task.artifacts ?? []) as { parts: { text?: string }[] }[];
  return (answer?.parts ?? []).map(({ text = '' }) => text).join('');
}

function taskIdOf({ frames }: Session): string {
  const task = frames[0]?.json.task as { id: string } | undefined;
  return task?.id ?? '';
}

describe('public reports: streams', () => {
  const report = sharingAnExecutor();

  report('OPEN-01', 'the work goes on when its stream is dropped', async (lab) => {
    const executor = await lab.executor();
    const probe = executor.probe();
    const link = await lab.link(executor, 'x');
    const request = lab.script(executor, 'x', [...numbers(1, 3), 'hold cut', ...numbers(4, 20)]);
    const session = probe.createStreaming(request, { via: link.address });
    await session.until((frames) => frames.some(({ json }) => JSON.stringify(json).includes('3.')));
    const id = taskIdOf(session);
    await lab.took(
      (await link.tap.connection(0)).cut({ kind: 'reset', direction: 'downstream', at: 'now' }),
      'a reset',
    );
    await executor.holds.release(lab.scriptId('x'), 'cut');
    const task = await ended(probe, id);
    assert.equal(stateOf(task), 'TASK_STATE_COMPLETED');
    assert.equal(textOf(task).match(/\d+\./g)?.length, 20);
    const effects = (await executor.holds.ledger(lab.scriptId('x'))).filter(({ kind }) => kind === 'effect');
    assert.equal(effects.length, 20);
    const states = (await tail(probe, id, '0', 'all')).map(({ event }) => JSON.stringify(event));
    assert.ok(!states.some((text) => /CANCELED|FAILED/.test(text)), 'no other end was ever stored');
  });

  report(
    'OPEN-02',
    'the end is kept when the client leaves while it is being saved',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      for (let round = 0; round < 2; round += 1) {
        const part = `r${round}`;
        const request = lab.script(executor, part, ['say almost', 'hold last', 'say done']);
        const link = await lab.link(executor, part);
        const session = probe.createStreaming(request, { via: link.address });
        await executor.holds.waiting(lab.scriptId(part), 'last');
        await session.until((frames) => frames.some(({ json }) => JSON.stringify(json).includes('almost')));
        const id = taskIdOf(session);
        // From here on nothing can be committed: the end is produced, and waits for the store.
        await executor.store('slow');
        await executor.holds.release(lab.scriptId(part), 'last');
        await lab.took(
          (await link.tap.connection(0)).cut({
            kind: round % 2 === 0 ? 'reset' : 'fin',
            direction: 'downstream',
            at: 'now',
          }),
          'a cut',
        );
        await session.ended;
        await executor.store('ok');
        const task = await ended(probe, id);
        assert.equal(stateOf(task), 'TASK_STATE_COMPLETED', part);
      }
    },
    { deadlineMs: 60_000 },
  );

  report(
    'OPEN-03',
    'what happened while nobody was connected is read by cursor, and Last-Event-ID changes nothing',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      const request = lab.script(executor, 'm', [
        ...numbers(1, 2),
        'hold two',
        ...numbers(3, 6),
        'hold six',
        ...numbers(7, 10),
      ]);
      const id = String(taskOf(await probe.create(request), 'the create').id);
      await executor.holds.waiting(lab.scriptId('m'), 'two');
      const link = await lab.link(executor, 'm');
      const first = probe.subscribe(id, { via: link.address });
      await first.until((frames) => frames.length > 0);
      const known = positionOf(first.frames[0]?.json.task as Record<string, unknown>);
      await lab.took(
        (await link.tap.connection(0)).cut({ kind: 'reset', direction: 'downstream', at: 'now' }),
        'a reset',
      );
      await first.ended;
      await executor.holds.release(lab.scriptId('m'), 'two');
      await executor.holds.waiting(lab.scriptId('m'), 'six');
      // What the agent said before it waits may still be on its way into the log.
      await until(async () => (await place(probe, id)).sequence > known.sequence, {
        ms: 15_000,
        what: 'an event behind the disconnect',
        everyMs: 10,
      });
      const again = probe.subscribe(id, { via: link.address, headers: { 'Last-Event-ID': '2' } });
      await again.until((frames) => frames.length > 0);
      const now = positionOf(again.frames[0]?.json.task as Record<string, unknown>);
      assert.ok(now.sequence > known.sequence, 'the Task comes first, as it stands now');
      const before = await tail(probe, id, '0', 'before');
      await executor.holds.release(lab.scriptId('m'), 'six');
      await again.until((frames) => frames.some(isTerminalFrame));
      const { json } = again.frames[1] ?? { json: {} };
      assert.ok(!/"id":2\b/.test(JSON.stringify(json)), 'no event has an id of its own');
      const live = seenOf(again, 'live');
      assert.equal(live[0]?.sequence, now.sequence + 1, 'live events go on behind the Task');
      const upTo = before.filter(({ sequence }) => sequence <= now.sequence);
      assert.deepEqual(finished([...upTo, ...live], resultOf(await ended(probe, id)) ?? {}), []);
      const missed = await tail(probe, id, known.cursor, 'missed');
      assert.deepEqual(missed.map(({ sequence }) => sequence)[0], known.sequence + 1);
      assert.deepEqual(ordered(missed), []);
    },
  );

  report(
    'OPEN-05',
    'a running task streams to every subscriber, and a restarted executor still tells the end',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      const request = lab.script(executor, 'k', ['say before', 'hold go', 'say after']);
      const id = String(taskOf(await probe.create(request), 'the create').id);
      await executor.holds.waiting(lab.scriptId('k'), 'go');
      const [first, second] = [probe.subscribe(id), probe.subscribe(id)];
      for (const session of [first, second]) await session.until((frames) => frames.length > 0);
      assert.equal(first.frames[0]?.kind, 'task');
      await executor.kill();
      await executor.start();
      const refusal = await probe.subscribe(id).refusal;
      // The OAB protocol has one verb for both, and it answers with the Task that ended.
      if (lab.binding !== 'OAB')
        assert.equal(refusal?.error?.reason, 'UNSUPPORTED_OPERATION', 'what ran is over');
      const from = lastOf(seenOf(first, 'first'), START);
      const seen = await resume(probe, id, from, 'resumed');
      assert.deepEqual(finished(seen, resultOf(taskOf(await probe.get(id), 'GetTask')) ?? {}), []);
    },
  );

  report(
    'OPEN-07',
    'neither the first nor the last event is lost when the agent ends at once',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      const link = await lab.link(executor, 'slow');
      // One byte per write: whatever is flushed late or cleared early shows.
      await (await link.proxy()).addToxic({
        type: 'slicer',
        attributes: { average_size: 16, size_variation: 8, delay: 0 },
      });
      for (let round = 0; round < 2; round += 1) {
        await Promise.all(
          Array.from({ length: 5 }, async (_, at) => {
            const request = lab.script(executor, `q${round}-${at}`, []);
            const via = at % 5 === 0 ? { via: link.address } : {};
            const session = probe.createStreaming(request, via);
            await session.ended;
            assert.equal(session.frames[0]?.kind, 'task', JSON.stringify(session.frames));
            assert.ok(isTerminalFrame(session.frames.at(-1) as NonNullable<(typeof session.frames)[0]>));
            lab.attempt();
          }),
        );
      }
    },
    { deadlineMs: 60_000 },
  );

  report('OPEN-12', 'an id that was returned resolves at once in every operation', async (lab) => {
    const executor = await lab.executor();
    const probe = executor.probe();
    const request = lab.script(executor, 's', ['hold never']);
    const id = String(taskOf(await probe.create(request), 'the create').id);
    const session = probe.subscribe(id);
    const [got, cancelled] = await Promise.all([probe.get(id), probe.cancel(id)]);
    assert.equal(taskOf(got, 'GetTask').id, id);
    assert.equal(taskOf(cancelled, 'CancelTask').id, id);
    assert.equal(await session.refusal, undefined);
    assert.equal(stateOf(await ended(probe, id)), 'TASK_STATE_CANCELED');
    await session.ended;
    assert.ok(session.frames.some(isTerminalFrame));
  });
});
