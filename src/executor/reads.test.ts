import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StoredEvent } from '../journal/journal.js';
import { isTerminal } from '../profile/lifecycle.js';
import type { AgentEvent } from './agent/runner.js';
import { Folds } from './fold.js';
import type { Caller } from './service.js';
import { CONFIG, openTestExecutor, requestOf, untilEnded } from './testing/harness.js';
import { type InProcessTurn, inProcessRunner } from './testing/in-process-runner.js';

type Opened = Awaited<ReturnType<typeof openTestExecutor>>;

/** A runner whose one task says what it is told to, and ends when it is told to. */
function told() {
  let turn: InProcessTurn | undefined;
  let arrived = (): void => {};
  const started = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const runner = inProcessRunner(async (given) => {
    turn = given;
    arrived();
    await finished;
    return { stopReason: 'end_turn' };
  });
  return {
    runner,
    started,
    finish,
    say: (event: AgentEvent) => turn?.say(event),
  };
}

describe('reads', () => {
  let opened: Opened;
  afterEach(() => opened.close());

  const begin = async (script: ReturnType<typeof told>, more = {}) => {
    opened = await openTestExecutor(script.runner, more);
    const { request, caller } = requestOf({ budget: { max_output_bytes: 1024 * 1024 } });
    const { snapshot } = await opened.service.create(caller, request);
    await script.started;
    return { caller, id: snapshot.row.taskId };
  };

  it('give every observer every event once and the terminal one last, whenever it comes (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constant('say'), fc.constant('observe'), fc.constant('turn')), {
          maxLength: 40,
        }),
        async (steps) => {
          const script = told();
          const { caller, id } = await begin(script);
          try {
            const observers: Promise<void>[] = [];
            const observe = async () => {
              const { snapshot, events } = await opened.service.observe(
                caller,
                id,
                AbortSignal.timeout(5000),
                true,
              );
              let at = snapshot.row.sequence;
              for await (const batch of events) {
                for (const { sequence } of batch) {
                  assert.equal(sequence, at + 1);
                  at = sequence;
                }
              }
              const row = opened.journal.task(id);
              assert.ok(row !== undefined && isTerminal(row.state));
              assert.equal(at, row.sequence);
            };
            for (const step of steps) {
              if (step === 'say') script.say({ type: 'text', text: 'x' });
              else if (step === 'observe') observers.push(observe());
              else await new Promise((resolve) => setImmediate(resolve));
            }
            script.finish();
            observers.push(observe());
            await Promise.all(observers);
          } finally {
            await opened.close();
          }
        },
      ),
      { numRuns: 25 },
    );
    opened = await openTestExecutor(told().runner);
  }).timeout(60_000);

  it('page from the beginning to the end, a page as large as the Task beside it, in bytes', async () => {
    const script = told();
    const { caller, id } = await begin(script);
    for (let n = 0; n < 8; n += 1) script.say({ type: 'text', text: 'x'.repeat(40_000) });
    for (let n = 0; n < 2000; n += 1) script.say({ type: 'status', text: '\u8a9e'.repeat(300) });
    script.finish();
    const { row } = await untilEnded(opened.service, caller, id);
    const seen: StoredEvent[] = [];
    let cursor = '0';
    do {
      const { snapshot, page } = await opened.service.get(caller, id, cursor);
      assert.ok(page !== undefined && page.events.length > 0 && page.complete);
      const task = Buffer.byteLength(JSON.stringify(snapshot.artifacts));
      const bytes = page.events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
      assert.ok(bytes <= Math.max(task, 256 * 1024) + CONFIG.limits.eventBytes, `${bytes} beside ${task}`);
      seen.push(...page.events);
      cursor = page.next;
    } while (cursor !== '');
    assert.deepEqual(
      seen.map(({ sequence }) => sequence),
      Array.from({ length: row.sequence }, (_, index) => index + 1),
    );
  });

  it('show a gap where events were trimmed, and never skip one in silence (D-12)', async () => {
    const script = told();
    const { caller, id } = await begin(script);
    script.say({ type: 'text', text: 'one' });
    await opened.journal.wake(id, 2, AbortSignal.timeout(5000));
    const early = await opened.service.observe(caller, id, AbortSignal.timeout(5000));
    const { snapshot } = await opened.service.get(caller, id);
    script.say({ type: 'text', text: 'two' });
    script.finish();
    const before = await untilEnded(opened.service, caller, id);
    await opened.journal.trim(Date.now() + 1000, 0);

    // A reader that is slower than the retention is cut, as by a disconnect, and resumes with a cursor.
    const read: number[] = [];
    for await (const batch of early.events) read.push(...batch.map(({ sequence }) => sequence));
    assert.deepEqual(read, []);

    const { page, snapshot: after } = await opened.service.get(caller, id, snapshot.cursor);
    assert.equal(page?.complete, false);
    assert.equal(page?.floor?.sequence, before.row.sequence - 1);
    assert.deepEqual(
      page?.events.map(({ sequence }) => sequence),
      [before.row.sequence],
    );
    assert.deepEqual(after.result, before.result);
    // All of an artifact or nothing of it.
    assert.deepEqual(new Folds(opened.journal).snapshot(id)?.artifacts, []);
  });

  it('list pages that fit a frame, and need no log for tasks without their artifacts', async () => {
    const runner = inProcessRunner(({ say }) => {
      for (let n = 0; n < 16; n += 1) say({ type: 'text', text: 'x'.repeat(50_000) });
      return {};
    });
    opened = await openTestExecutor(runner);
    let caller: Caller | undefined;
    for (let n = 0; n < 8; n += 1) {
      const made = requestOf({ budget: { max_output_bytes: 1024 * 1024 } });
      caller = made.caller;
      const { snapshot } = await opened.service.create(made.caller, made.request);
      await untilEnded(opened.service, caller, snapshot.row.taskId);
    }
    assert.ok(caller !== undefined);
    const ids = new Set<string>();
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await opened.service.list(caller, {
        limit: 50,
        withArtifacts: true,
        ...(after === undefined ? {} : { after }),
      });
      assert.ok(Buffer.byteLength(JSON.stringify(page.tasks)) < CONFIG.limits.frameBytes);
      assert.equal(page.total, 8);
      for (const { row } of page.tasks) {
        assert.ok(!ids.has(row.taskId));
        ids.add(row.taskId);
      }
      after = page.next;
      pages += 1;
    } while (after !== '');
    assert.equal(ids.size, 8);
    assert.ok(pages > 1);
    const brief = await opened.service.list(caller, { limit: 50, withArtifacts: false });
    assert.deepEqual(
      brief.tasks.map(({ status, result }) => [status.state, result?.status]),
      Array.from({ length: 8 }, () => ['TASK_STATE_COMPLETED', 'completed']),
    );
  });
});
