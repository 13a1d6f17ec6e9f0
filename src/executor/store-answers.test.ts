import assert from 'node:assert/strict';
import { type Journal, StoreUnavailable } from '../journal/journal.js';
import { fastClock } from './testing/fast-clock.js';
import { openTestExecutor, requestOf, untilEnded } from './testing/harness.js';
import { inProcessRunner } from './testing/in-process-runner.js';
import { assertSound } from './testing/sound.js';

describe('an executor whose store does not answer', () => {
  let opened: Awaited<ReturnType<typeof openTestExecutor>>;
  afterEach(() => opened.close());
  const REFUSED = { reason: 'STORE_UNAVAILABLE', http: 503, retryAfterMs: 1000 };

  it('says so to every call, streams that are open included, and serves again when it answers', async () => {
    let out = false;
    const over = (journal: Journal): Journal => {
      const unlessOut =
        <A extends unknown[], T>(ask: (...args: A) => T) =>
        (...args: A): T => {
          if (out) throw new StoreUnavailable('out');
          return ask(...args);
        };
      const { task, read, list, reserved } = journal;
      return {
        ...journal,
        task: unlessOut(task),
        read: unlessOut(read),
        list: unlessOut(list),
        reserved: unlessOut(reserved),
      };
    };
    const runner = inProcessRunner(async ({ stopped }) => {
      await stopped;
      return { stopReason: 'cancelled' };
    });
    opened = await openTestExecutor(runner, {
      parts: (parts) => ({ ...parts, journal: over(parts.journal) }),
    });
    const { service } = opened;
    const { request, caller } = requestOf();
    const { snapshot } = await service.create(caller, request);
    const { taskId } = snapshot.row;
    const { signal } = new AbortController();
    const { events } = await service.observe(caller, taskId, signal);
    out = true;
    await assert.rejects(service.create(caller, request), REFUSED);
    await assert.rejects(service.get(caller, taskId), REFUSED);
    await assert.rejects(service.list(caller, { limit: 10, withArtifacts: false }), REFUSED);
    await assert.rejects(service.observe(caller, taskId, signal), REFUSED);
    await assert.rejects(service.cancel(caller, taskId), REFUSED);
    await assert.rejects(async () => {
      for await (const _batch of events) {
        // Until it breaks.
      }
    }, REFUSED);
    out = false;
    assert.equal((await service.create(caller, request)).duplicate, true);
    await service.cancel(caller, taskId);
    assert.equal((await untilEnded(service, caller, taskId)).result?.status, 'cancelled');
    assert.equal(runner.prompted, 1);
  });

  it('stops a turn whose append hangs, and counts what becomes durable after all', async () => {
    let killed = () => {};
    const afterTheKill = new Promise<void>((resolve) => {
      killed = resolve;
    });
    const runner = inProcessRunner(async ({ say, stopped }) => {
      say({ type: 'text', text: 'on its way to the disk for very long' });
      await stopped;
      killed();
      return {};
    });
    opened = await openTestExecutor(runner, {
      parts: (parts) => ({
        ...parts,
        clock: fastClock(200),
        journal: {
          ...parts.journal,
          async append(taskId, append) {
            const hangs = append.events.some(({ body }) => body.includes('artifactUpdate'));
            if (hangs && append.set?.outcome === undefined) await afterTheKill;
            return parts.journal.append(taskId, append);
          },
        },
      }),
    });
    const { request, caller } = requestOf({ deadline_ms: 3_600_000 });
    const { snapshot } = await opened.service.create(caller, request);
    const ended = await untilEnded(opened.service, caller, snapshot.row.taskId);
    const { status, error } = await assertSound(opened.journal, ended, opened.publicKey);
    assert.deepEqual([status, error?.code], ['failed', 'STORE_LOST']);
    assert.equal(ended.artifacts.length, 1);
  });
});
