import assert from 'node:assert/strict';
import { NoSigningKey } from '../identity/key-store.js';
import { type Append, StoreUnavailable } from '../journal/journal.js';
import { createExecutor } from './executor.js';
import type { ExecutorParts } from './parts.js';
import type { Caller } from './service.js';
import { fastClock } from './testing/fast-clock.js';
import { CONFIG, openTestExecutor, requestOf, untilEnded } from './testing/harness.js';
import { inProcessRunner } from './testing/in-process-runner.js';
import { assertSound } from './testing/sound.js';

type Opened = Awaited<ReturnType<typeof openTestExecutor>>;
type Create = { caller: Caller; taskId: string };

describe('the life of an executor', () => {
  let opened: Opened;
  afterEach(() => opened.close());

  const patient = () =>
    inProcessRunner(async ({ say, stopped }) => {
      say({ type: 'text', text: 'working' });
      await stopped;
      return { stopReason: 'cancelled' };
    });
  const create = async (more: object = {}): Promise<Create> => {
    const { request, caller } = requestOf(more);
    return { caller, taskId: (await opened.service.create(caller, request)).snapshot.row.taskId };
  };
  const sound = async ({ caller, taskId }: Create) =>
    assertSound(opened.journal, await untilEnded(opened.service, caller, taskId), opened.publicKey);

  it('does not start without a signing key', async () => {
    opened = await openTestExecutor(patient());
    let parts: ExecutorParts | undefined;
    const other = await openTestExecutor(patient(), {
      parts: (given) => {
        parts = given;
        return given;
      },
    });
    assert.ok(parts !== undefined);
    const keyless = {
      ...parts.keys,
      active: () => {
        throw new NoSigningKey('none');
      },
    };
    await assert.rejects(createExecutor(CONFIG, { ...parts, keys: keyless }).start(), NoSigningKey);
    await other.close();
  });

  it('starts no agent once it is stopping, whatever was under way', async () => {
    const runner = patient();
    opened = await openTestExecutor(runner);
    const under = create();
    await Promise.all([opened.executor.stop(), under]);
    assert.equal(runner.prompted, 0);
    assert.equal(opened.executor.running(), 0);
    await opened.crash();
    await opened.executor.start();
    const result = await sound(await under);
    assert.deepEqual([result.status, result.error?.code], ['failed', 'EXECUTOR_RESTARTED']);
  });

  it('drains only when the tasks that were being admitted have ended too', async () => {
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    opened = await openTestExecutor(
      inProcessRunner(async () => {
        await held;
        return {};
      }),
    );
    let drained = false;
    const under = create();
    const drain = opened.executor.drain().then(() => {
      drained = true;
    });
    const { taskId } = await under;
    await opened.journal.wake(taskId, 1, AbortSignal.timeout(5000));
    assert.equal(drained, false);
    end();
    await drain;
    assert.equal(opened.executor.running(), 0);
    assert.equal((await sound(await under)).status, 'completed');
  });

  /** The write with which a process dies at each boundary: that one is lost, or is the last that is not. */
  const boundaries: Record<string, { write: (append: Append) => boolean; lost: boolean; outcome: unknown }> =
    {
      admitted: {
        write: ({ set }) => set?.process !== undefined,
        lost: true,
        outcome: ['failed', 'EXECUTOR_RESTARTED'],
      },
      started: {
        write: ({ set }) => set?.dispatchedAt !== undefined,
        lost: true,
        outcome: ['failed', 'EXECUTOR_RESTARTED'],
      },
      dispatched: {
        write: ({ set }) => set?.dispatchedAt !== undefined,
        lost: false,
        outcome: ['unknown', 'EFFECT_UNKNOWN'],
      },
      speaking: {
        write: ({ events }) => events.some(({ body }) => body.includes('artifactUpdate')),
        lost: false,
        outcome: ['unknown', 'EFFECT_UNKNOWN'],
      },
      cancelled: {
        write: ({ set }) => set?.cancelRequestedAt !== undefined,
        lost: false,
        outcome: ['unknown', 'EFFECT_UNKNOWN'],
      },
      'about to end': {
        write: ({ set }) => set?.outcome !== undefined,
        lost: true,
        outcome: ['unknown', 'EFFECT_UNKNOWN'],
      },
      ended: {
        write: ({ set }) => set?.outcome !== undefined,
        lost: false,
        outcome: ['cancelled', undefined],
      },
    };
  for (const [boundary, { write, lost, outcome }] of Object.entries(boundaries)) {
    it(`makes of a task that was ${boundary} at a crash what the profile says, once`, async () => {
      const runner = patient();
      const killed: number[] = [];
      let dies = () => {};
      const died = new Promise<void>((resolve) => {
        dies = resolve;
      });
      let armed = true;
      let dead = false;
      opened = await openTestExecutor(runner, {
        parts: (parts) => ({
          ...parts,
          killOrphan: async ({ pgid }) => void killed.push(pgid),
          journal: {
            ...parts.journal,
            async append(taskId, append) {
              // A dead process writes nothing and hears nothing.
              const last = armed && write(append);
              if (last) dead = true;
              if (dead && !(last && !lost)) {
                dies();
                return new Promise<never>(() => {});
              }
              const appended = await parts.journal.append(taskId, append);
              if (last) dies();
              return appended;
            },
          },
        }),
      });
      const { request, caller } = requestOf();
      const taskId = (await opened.service.create(caller, request)).snapshot.row.taskId;
      if (['cancelled', 'about to end', 'ended'].includes(boundary)) {
        await opened.journal.wake(taskId, 2, AbortSignal.timeout(5000));
        await opened.service.cancel(caller, taskId);
      }
      await died;
      await new Promise((resolve) => setImmediate(resolve));
      const { prompted } = runner;
      assert.equal(prompted, boundary === 'admitted' || boundary === 'started' ? 0 : 1);
      await opened.crash();
      armed = false;
      dead = false;
      await opened.executor.start();
      const result = await sound({ caller, taskId });
      assert.deepEqual([result.status, result.error?.code], outcome);
      assert.equal(killed.length, boundary === 'admitted' || boundary === 'ended' ? 0 : 1);
      // The same message again, and another restart: the same task, no second prompt, no second terminal.
      assert.equal((await opened.service.create(caller, request)).snapshot.row.taskId, taskId);
      await opened.crash();
      await opened.executor.start();
      assert.deepEqual(await sound({ caller, taskId }), result);
      assert.equal(runner.prompted, prompted);
    });
  }

  it('ends a task that was admitted although the store said that it was not', async () => {
    let lost = false;
    opened = await openTestExecutor(patient(), {
      parts: (parts) => ({
        ...parts,
        clock: fastClock(400),
        journal: {
          ...parts.journal,
          admit: async (admission) => {
            const admitted = await parts.journal.admit(admission);
            if (lost) return admitted;
            lost = true;
            throw new StoreUnavailable('the answer was lost');
          },
        },
      }),
    });
    const { request, caller } = requestOf({ deadline_ms: 3_600_000 });
    await assert.rejects(opened.service.create(caller, request), { reason: 'STORE_UNAVAILABLE' });
    assert.equal(opened.executor.running(), 0);
    const { snapshot, duplicate } = await opened.service.create(caller, request);
    assert.equal(duplicate, true);
    const result = await sound({ caller, taskId: snapshot.row.taskId });
    assert.deepEqual([result.status, result.error?.code], ['failed', 'EXECUTOR_RESTARTED']);
  });
});
