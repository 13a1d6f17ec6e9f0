import assert from 'node:assert/strict';
import { NoSigningKey } from '../identity/key-store.js';
import { type Append, type Journal, StoreUnavailable } from '../journal/journal.js';
import type { AgentRunner } from './agent/runner.js';
import type { ExecutorParts } from './parts.js';
import { fastClock } from './testing/fast-clock.js';
import { CONFIG, openTestExecutor, requestOf, untilEnded } from './testing/harness.js';
import { inProcessRunner } from './testing/in-process-runner.js';
import { assertSound } from './testing/sound.js';

type Opened = Awaited<ReturnType<typeof openTestExecutor>>;

/** A journal whose appends fail while `down` says so. */
function failing(journal: Journal, down: (append: Append) => boolean): Journal {
  return {
    ...journal,
    append: async (taskId, append) => {
      if (down(append)) throw new StoreUnavailable('down');
      return journal.append(taskId, append);
    },
  };
}

describe('a turn', () => {
  let opened: Opened;
  afterEach(() => opened.close());

  const run = async (more: object = {}) => {
    const { request, caller } = requestOf({ budget: { max_output_bytes: 1024 * 1024 }, ...more });
    const { snapshot } = await opened.service.create(caller, request);
    const ended = await untilEnded(opened.service, caller, snapshot.row.taskId);
    return assertSound(opened.journal, ended, opened.publicKey);
  };
  const withParts = async (
    runner: AgentRunner,
    parts: (parts: ExecutorParts) => ExecutorParts,
    config = {},
  ) => {
    opened = await openTestExecutor(runner, { parts, config });
  };
  const speaks = (text: string) =>
    inProcessRunner(async ({ say, stopped }) => {
      say({ type: 'text', text });
      await stopped;
      return { stopReason: 'cancelled' };
    });

  it('keeps what the envelope says equal to the log when the ceiling of events is reached', async () => {
    const runner = inProcessRunner(async ({ say, stopped }) => {
      for (let n = 0; n < 100; n += 1) say({ type: 'text', text: `${n} ` });
      await stopped;
      return { stopReason: 'cancelled' };
    });
    await withParts(runner, (parts) => parts, {
      limits: { ...CONFIG.limits, events: 20 },
    });
    const result = await run();
    assert.equal(result.error?.code, 'BUDGET_EXHAUSTED');
    assert.ok(result.event_log.last_sequence <= 20);
  });

  it('stops and kills when the store is lost, and tells it when the store is back', async () => {
    const clock = fastClock(200);
    let down = false;
    let lines = 0;
    const runner = speaks('said before the store was lost');
    await withParts(runner, (parts) => ({
      ...parts,
      clock,
      journal: failing(parts.journal, ({ events }) => {
        lines += events.filter(({ body }) => body.includes('artifactUpdate')).length;
        down = lines > 0 && clock.now() - began < 30_000;
        return down;
      }),
    }));
    const began = clock.now();
    const result = await run();
    assert.deepEqual([result.status, result.error?.code], ['failed', 'STORE_LOST']);
    assert.equal(opened.executor.running(), 0);
  });

  it('ends a task whose process could not be journalled', async () => {
    const clock = fastClock(200);
    let fails = true;
    await withParts(speaks('never'), (parts) => ({
      ...parts,
      clock,
      journal: failing(parts.journal, ({ set }) => set?.process !== undefined && fails),
    }));
    const result = await run();
    fails = false;
    assert.deepEqual([result.status, result.error?.code], ['failed', 'STORE_LOST']);
  });

  it('gives every task an outcome when the runner breaks', async () => {
    const broken: AgentRunner = {
      start: () => {
        const end = Promise.reject(new Error('a defect of the runner'));
        end.catch(() => {});
        return { events: (async function* () {})(), end, cancel: () => {}, kill: () => {} };
      },
      close: async () => {},
    };
    await withParts(broken, (parts) => parts);
    const result = await run();
    assert.deepEqual([result.status, result.error?.code], ['failed', 'AGENT_UNAVAILABLE']);
    assert.equal(opened.executor.running(), 0);
  });

  it('waits with the outcome for a key when the signing key is lost, and takes nothing new', async () => {
    let lost = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await withParts(
      inProcessRunner(async () => {
        await held;
        return { stopReason: 'end_turn' };
      }),
      (parts) => ({
        ...parts,
        clock: fastClock(50),
        keys: {
          ...parts.keys,
          active: () => {
            if (lost) throw new NoSigningKey('none');
            return parts.keys.active();
          },
        },
      }),
    );
    const { request, caller } = requestOf();
    const { snapshot } = await opened.service.create(caller, request);
    await opened.journal.wake(snapshot.row.taskId, 1, AbortSignal.timeout(5000));
    lost = true;
    release();
    const other = requestOf();
    await assert.rejects(opened.service.create(other.caller, other.request), { reason: 'DRAINING' });
    while (opened.executor.running() > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(
      (await opened.service.get(caller, snapshot.row.taskId)).snapshot.row.state,
      'TASK_STATE_WORKING',
    );
    lost = false;
    const ended = await untilEnded(opened.service, caller, snapshot.row.taskId);
    assert.equal((await assertSound(opened.journal, ended, opened.publicKey)).status, 'completed');
  });
});
