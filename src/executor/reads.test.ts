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

/** A runner whose tasks say what they are told to, and end when they are told to. */
function told() {
  const turns = new Map<string, InProcessTurn & { end(): void }>();
  const waiting = new Map<string, () => void>();
  const runner = inProcessRunner(async (turn) => {
    await new Promise<void>((end) => {
      turns.set(turn.task.taskId, { ...turn, end });
      waiting.get(turn.task.taskId)?.();
    });
    return { stopReason: 'end_turn' };
  });
  return {
    runner,
    started: (id: string) =>
      turns.has(id) ? undefined : new Promise<void>((resolve) => waiting.set(id, resolve)),
    say: (id: string, event: AgentEvent) => turns.get(id)?.say(event),
    finish: (id: string) => turns.get(id)?.end(),
  };
}

describe('reads', () => {
  let opened: Opened;
  let script: ReturnType<typeof told>;
  beforeEach(async () => {
    script = told();
    opened = await openTestExecutor(script.runner);
  });
  afterEach(() => opened.close());

  const begin = async () => {
    const { request, caller } = requestOf({ budget: { max_output_bytes: 1024 * 1024 } });
    const { snapshot } = await opened.service.create(caller, request);
    const id = snapshot.row.taskId;
    await script.started(id);
    return { caller, id };
  };

  /** Reads to the end, checks that nothing is missing or twice, and that the last one is the terminal one. */
  const observe = async (caller: Caller, id: string) => {
    const signal = AbortSignal.timeout(10_000);
    const { snapshot, events } = await opened.service.observe(caller, id, signal, true);
    let at = snapshot.row.sequence;
    for await (const batch of events) {
      assert.ok(batch.length <= 256);
      for (const { sequence } of batch) {
        assert.equal(sequence, at + 1);
        at = sequence;
      }
    }
    const row = opened.journal.task(id);
    assert.ok(row !== undefined && isTerminal(row.state));
    assert.equal(at, row.sequence);
  };

  it('give every observer every event once and the terminal one last, whenever it comes (property)', async () => {
    const step = fc.constantFrom('say', 'observe', 'turn');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { caller, id } = await begin();
        const observers: Promise<void>[] = [];
        for (const one of steps) {
          if (one === 'say') script.say(id, { type: 'text', text: 'x' });
          else if (one === 'observe') observers.push(observe(caller, id));
          else await new Promise((resolve) => setImmediate(resolve));
        }
        script.finish(id);
        observers.push(observe(caller, id));
        await Promise.all(observers);
      }),
      { numRuns: 100 },
    );
  }).timeout(60_000);

  it('cost nothing for readers that do not read, and give them everything when they do', async () => {
    const { caller, id } = await begin();
    const signal = AbortSignal.timeout(15_000);
    const iterators = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { events } = await opened.service.observe(caller, id, signal);
        return events[Symbol.asyncIterator]();
      }),
    );
    for (let n = 0; n < 3000; n += 1) script.say(id, { type: 'text', text: 'x'.repeat(200) });
    script.finish(id);
    const { row } = await untilEnded(opened.service, caller, id);
    // Each pull reads one bounded batch from the journal: nothing gathered while nobody pulled.
    for (const iterator of iterators) {
      let at = 2;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        const bytes = next.value.reduce((sum, { body }) => sum + body.length, 0);
        assert.ok(next.value.length <= 256 && bytes <= 256 * 1024);
        at = next.value.at(-1)?.sequence ?? 0;
      }
      assert.equal(at, row.sequence);
    }
  });

  it('end with their signal, and leave nothing waiting', async () => {
    const { caller, id } = await begin();
    const gone = new AbortController();
    const { events } = await opened.service.observe(caller, id, gone.signal);
    const reading = (async () => {
      for await (const _batch of events) {
        // There is none.
      }
    })();
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await reading;
    script.finish(id);
    await untilEnded(opened.service, caller, id);
  });

  it('page from the beginning to the end, a page as large as the Task beside it, in bytes', async () => {
    const { caller, id } = await begin();
    for (let n = 0; n < 8; n += 1) script.say(id, { type: 'text', text: 'x'.repeat(40_000) });
    for (let n = 0; n < 2000; n += 1) script.say(id, { type: 'status', text: '\u8a9e'.repeat(300) });
    script.finish(id);
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
    const { caller, id } = await begin();
    script.say(id, { type: 'text', text: 'one' });
    await opened.journal.wake(id, 2, AbortSignal.timeout(5000));
    const early = await opened.service.observe(caller, id, AbortSignal.timeout(5000));
    const { snapshot } = await opened.service.get(caller, id);
    script.say(id, { type: 'text', text: 'two' });
    script.finish(id);
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
    await opened.close();
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
