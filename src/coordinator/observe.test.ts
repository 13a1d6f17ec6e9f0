import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { EventBody } from '../profile/model.js';
import { PeerRefusal, PeerUnreachable, type RemoteFrame } from './connection.js';
import type { ResultLine } from './lines.js';
import { Bench } from './testing/bench.js';
import { frame } from './testing/fake-peer.js';

const LAST = 7;
const ALL = [1, 2, 3, 4, 5, 6, 7];

describe('following a task', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  /** Each subscribe streams what its turn says; beyond the plan, and after the end, the honest one. */
  const streams = (plan: ((taskId: string) => Iterable<RemoteFrame>)[]) => {
    bench.peer.replace.observe = (honest) => (taskId, options) => {
      const next = plan.shift();
      if (next === undefined) return honest(taskId, options);
      return (async function* () {
        yield* next(taskId);
      })();
    };
  };
  const complete = (line: ResultLine) => {
    assert.deepEqual(
      [line.outcome, line.verified, line.observation, line.reason],
      ['completed', true, 'complete', null],
    );
  };

  it('prints each event once, in order, and then one verified result', async () => {
    complete(await bench.delegate());
    assert.deepEqual(bench.sequences(), ALL);
    assert.deepEqual(
      bench.lines.map(({ type }) => type),
      ['accepted', ...ALL.map(() => 'event'), 'result'],
    );
  });

  it('has every event once, whatever is cut, repeated or ahead of what is known', async () => {
    const live = fc.record({
      /** What the Task that comes first says it includes. */
      at: fc.integer({ min: 1, max: LAST - 1 }),
      frames: fc.array(fc.integer({ min: 1, max: LAST }), { maxLength: 6 }),
      end: fc.constantFrom('close', 'reset'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(live, { maxLength: 6 }),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        async (plan, pageSize, over) => {
          const own = new Bench();
          own.peer.pageSize = pageSize;
          // At the end of the plan the task has ended, or the last stream tells it all.
          own.peer.replace.observe = (honest) => (taskId, options) => {
            const next = plan.shift();
            if (next === undefined) {
              if (over) own.peer.written = LAST;
              return honest(taskId, options);
            }
            return (async function* () {
              const story = own.peer.story(taskId);
              const { task } = await own.peer.connect().get(taskId, undefined, options);
              yield {
                task: { task, position: { turn_id: story.turnId, sequence: next.at, cursor: `c${next.at}` } },
              };
              for (const sequence of next.frames) yield frame(story, sequence);
              if (next.end === 'reset') throw new PeerUnreachable('reset');
            })();
          };
          const line = await own.delegate();
          assert.deepEqual(own.sequences(), ALL);
          complete(line);
          own.close();
        },
      ),
      { numRuns: 60 },
    );
  }).timeout(60_000);

  it('reads the tail of a task that ended unseen', async () => {
    streams([
      function* (taskId) {
        yield frame(bench.peer.story(taskId), 2);
        bench.peer.written = LAST;
      },
    ]);
    complete(await bench.delegate());
    assert.deepEqual(bench.sequences(), ALL);
  });

  it('fills a gap in a stream by a page before it goes on', async () => {
    streams([
      function* (taskId) {
        yield frame(bench.peer.story(taskId), 2);
        yield frame(bench.peer.story(taskId), 5);
        bench.peer.written = LAST;
      },
    ]);
    complete(await bench.delegate());
    assert.deepEqual(bench.sequences(), ALL);
    assert.ok(bench.peer.calls.includes('get c3'));
  });

  it('does not take an answer without events for an empty tail', async () => {
    bench.peer.written = LAST;
    let blind = 3;
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      const remote = await honest(taskId, cursor, options);
      if (cursor === undefined || blind === 0) return remote;
      blind -= 1;
      return { task: remote.task };
    };
    complete(await bench.delegate());
    assert.deepEqual([blind, bench.sequences()], [0, ALL]);
  });

  it('retries what is transient, and what is no event', async () => {
    streams([
      () => {
        throw new PeerRefusal('STORE_UNAVAILABLE', -32603, true);
      },
      function* () {
        yield {
          event: { statusUpdate: { status: 3 } } as unknown as EventBody,
          position: { turn_id: 't', sequence: 2, cursor: 'c2' },
        };
      },
    ]);
    complete(await bench.delegate());
    assert.deepEqual(bench.sequences(), ALL);
  });

  it('says what was trimmed: a suffix from the floor, or missing events', async () => {
    const floorAt = (sequence: number) => {
      bench.peer.written = LAST;
      bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
        const { events, envelope } = bench.peer.story(taskId);
        const { firstHead, headAfter } = await import('../profile/chain.js');
        const head = events.slice(0, sequence).reduce(headAfter, firstHead(taskId, envelope.request_digest));
        bench.peer.floor = { sequence, head };
        return honest(taskId, cursor, options);
      };
    };
    floorAt(LAST - 1);
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.verified, line.observation], ['completed', true, 'suffix']);
    assert.deepEqual(bench.sequences(), [LAST]);
    // Two were seen before the rest was trimmed: what is missing lies inside.
    bench.peer.floor = undefined;
    bench.peer.written = undefined;
    streams([
      function* (taskId) {
        yield frame(bench.peer.story(taskId), 2);
        floorAt(LAST - 2);
      },
    ]);
    bench.peer.replace.get = (honest) => honest;
    const second = await bench.delegate({ requestId: 'req-2' });
    assert.deepEqual([second.outcome, second.observation], ['completed', 'incomplete']);
    assert.deepEqual(bench.sequences(), [1, 2, 3, LAST - 1, LAST]);
  });

  it('begins anew where the executor does not know the stored place any more', async () => {
    streams([
      function* (taskId) {
        yield frame(bench.peer.story(taskId), 2);
        bench.peer.written = LAST;
      },
    ]);
    let forgotten = true;
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      if (cursor !== undefined && cursor !== '0' && forgotten) {
        forgotten = false;
        throw new PeerRefusal('CURSOR_INVALID', -32602, false);
      }
      return honest(taskId, cursor, options);
    };
    complete(await bench.delegate());
  });

  it('is unknown when the task is gone', async () => {
    streams([
      () => {
        throw new PeerRefusal('TASK_NOT_FOUND', -32001, false);
      },
    ]);
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.reason, line.verified], ['unknown', 'TASK_NOT_FOUND', false]);
  });

  for (const [what, silent] of [
    ['an executor that writes nothing more', true],
    ['an executor that cannot be reached', false],
  ] as const) {
    it(`is unknown by deadline, stop grace, skew and two heartbeats: ${what}`, async () => {
      bench.peer.written = 2;
      if (!silent) {
        streams([]);
        bench.peer.replace.observe = () =>
          async function* () {
            yield* [];
            throw new PeerUnreachable('down');
          };
      }
      const began = bench.clock.now();
      const line = await bench.delegate();
      assert.deepEqual([line.outcome, line.reason], ['unknown', 'NO_TERMINAL']);
      const took = bench.clock.now() - began;
      assert.ok(took >= 94_000 && took < 94_000 + 10_000, String(took));
    });
  }

  it('still reads what the executor has when it comes back after all that time', async () => {
    const coordinator = bench.coordinator();
    const stop = new AbortController();
    bench.peer.written = 2;
    bench.peer.replace.observe = () =>
      async function* () {
        yield* [];
        stop.abort();
      };
    const { QUESTION } = await import('./testing/bench.js');
    const left = await coordinator.delegate(QUESTION, bench.sink, stop.signal);
    assert.equal(left.reason, 'INTERRUPTED');
    bench.clock.pass(86_400_000);
    bench.peer.written = LAST;
    bench.peer.replace = {};
    const line = await bench.coordinator().wait('req-1', bench.sink, new AbortController().signal);
    assert.equal(line.outcome, 'completed');
  });
});
