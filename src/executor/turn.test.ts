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
    const { request, caller } = requestOf({
      deadline_ms: 3_600_000,
      budget: { max_output_bytes: 1024 * 1024 },
      ...more,
    });
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

  it('audits a permission once, whatever becomes of the first acknowledgement', async () => {
    const runner = inProcessRunner(async ({ say }) => {
      const asks = { type: 'permission', toolCallId: 'c', kind: 'read', title: 'r', allowed: true } as const;
      say(asks);
      say(asks);
      return { summary: '' };
    });
    let lost = 0;
    await withParts(runner, (parts) => ({
      ...parts,
      journal: {
        ...parts.journal,
        async audit(draft, again) {
          const row = await parts.journal.audit(draft, again);
          if (draft.kind === 'permission' && lost < 2) {
            lost += 1;
            throw new StoreUnavailable('the acknowledgement was lost');
          }
          return row;
        },
      },
    }));
    await run();
    const rows = opened.journal.audits(0, 100).filter(({ kind }) => kind === 'permission');
    assert.deepEqual(
      rows.map(({ detail }) => detail.asked),
      [1, 2],
    );
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

  it('counts the output as it stands in the Task: the limit itself passes, a byte more does not', async () => {
    const bytes = 1000;
    const frame = Buffer.byteLength(JSON.stringify({ text: '' }));
    const runner = inProcessRunner(({ task, say }) => {
      say({ type: 'text', text: 'x'.repeat(Number(task.prompt)) });
      return {};
    });
    opened = await openTestExecutor(runner);
    // The closing chunk is a part too.
    const most = bytes - 2 * frame;
    const budget = { max_output_bytes: bytes };
    const fits = await run({ task: String(most), budget });
    assert.equal(fits.status, 'completed');
    const more = await run({ task: String(most + 1), budget });
    assert.deepEqual([more.status, more.error?.code, more.artifacts], ['failed', 'BUDGET_EXHAUSTED', []]);
  });

  it('outlives what the agent cannot be blamed for: a text that no JSON can hold', async () => {
    await withParts(
      inProcessRunner(({ say }) => {
        say({ type: 'text', text: 'half a pair: \ud83d' });
        return { summary: 'half a pair: \ud83d' };
      }),
      (parts) => parts,
    );
    const result = await run();
    assert.deepEqual([result.status, result.error?.code], ['failed', 'WORKER_LOST']);
  });

  it('stops and kills when the store is lost, and tells it when the store is back', async () => {
    let lost = false;
    let killed = false;
    let refusedOutcomes = 0;
    const runner = inProcessRunner(async ({ say, stopped }) => {
      say({ type: 'text', text: 'said before the store was lost' });
      await stopped;
      killed = true;
      return {};
    });
    await withParts(runner, (parts) => ({
      ...parts,
      clock: fastClock(200),
      journal: failing(parts.journal, ({ events, set }) => {
        lost ||= events.some(({ body }) => body.includes('artifactUpdate'));
        if (set?.outcome !== undefined && refusedOutcomes < 3) {
          refusedOutcomes += 1;
          return true;
        }
        return lost && !killed;
      }),
    }));
    const result = await run();
    assert.deepEqual([result.status, result.error?.code], ['failed', 'STORE_LOST']);
    assert.equal(refusedOutcomes, 3);
    assert.equal(opened.executor.running(), 0);
  });

  it('writes once what was committed without an acknowledgement: dispatch, output and outcome', async () => {
    const unanswered = new Set(['dispatchedAt', 'artifactUpdate', 'outcome']);
    const runner = inProcessRunner(({ say }) => {
      for (const text of ['same', 'same', 'same']) say({ type: 'text', text });
      return {};
    });
    await withParts(runner, (parts) => ({
      ...parts,
      clock: fastClock(50),
      journal: {
        ...parts.journal,
        async append(taskId, append) {
          const appended = await parts.journal.append(taskId, append);
          const text = JSON.stringify(append);
          const lost = [...unanswered].find((word) => text.includes(word));
          if (lost === undefined) return appended;
          unanswered.delete(lost);
          throw new StoreUnavailable('committed, and the acknowledgement was lost');
        },
      },
    }));
    const result = await run();
    assert.equal(unanswered.size, 0);
    assert.equal(result.status, 'completed');
    // SUBMITTED, WORKING, three pieces, the closing one, the terminal event.
    assert.equal(result.event_log.last_sequence, 7);
    assert.equal(runner.prompted, 1);
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
    const { request, caller } = requestOf({ deadline_ms: 3_600_000 });
    const { snapshot } = await opened.service.create(caller, request);
    await opened.journal.wake(snapshot.row.taskId, 1, AbortSignal.timeout(5000));
    lost = true;
    release();
    const other = requestOf({ deadline_ms: 3_600_000 });
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
