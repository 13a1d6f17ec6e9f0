import assert from 'node:assert/strict';
import { cancelExitCode } from './cancel.js';
import { PeerRefusal, PeerUnreachable } from './connection.js';
import type { ResultLine } from './lines.js';
import { openStore, type Store } from './store.js';
import { Bench, NEVER, QUESTION } from './testing/bench.js';

const LAST = 7;

/** The process ends here: nothing of it goes on. */
class Killed extends Error {}

describe('a coordinator', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  it('killed at any step of the store or the wire goes on with one request, one task, one result', async () => {
    /** Counts the steps of a whole delegation; from step `at` on every one of them fails, as in a dead process. */
    const run = async (own: Bench, at: number): Promise<number> => {
      let steps = 0;
      const step = (): void => {
        steps += 1;
        if (steps >= at) throw new Killed();
      };
      const store: Store = {
        ...own.store,
        insert(delegation) {
          step();
          const inserted = own.store.insert(delegation);
          step();
          return inserted;
        },
        update(id, change) {
          step();
          own.store.update(id, change);
          step();
        },
      };
      own.peer.replace = {
        create: (honest) => async (request, options) => {
          step();
          const remote = await honest(request, options);
          step();
          return remote;
        },
        get: (honest) => async (taskId, cursor, options) => {
          step();
          return honest(taskId, cursor, options);
        },
        observe: (honest) => (taskId, options) => {
          step();
          return honest(taskId, options);
        },
      };
      const stop = new AbortController();
      const coordinator = own.coordinator({
        store,
        // A dead process waits for nothing and tries nothing again.
        pause: async (ms, signal) => {
          if (steps >= at) stop.abort();
          await own.clock.pause(ms, signal);
        },
      });
      await coordinator.delegate(QUESTION, own.sink, stop.signal).catch((error: Error) => {
        if (!(error instanceof Killed)) throw error;
      });
      own.peer.replace = {};
      return steps;
    };

    const whole = new Bench();
    const steps = await run(whole, Number.MAX_SAFE_INTEGER);
    assert.ok(steps > 20, String(steps));
    whole.close();
    for (let at = 1; at <= steps; at += 1) {
      const own = new Bench();
      await run(own, at);
      own.store.close();
      own.store = openStore(`${own.folder}/coordinator.db`);
      const known = own.store.find('req-1');
      // Before the intent was durable nothing was sent, and there is nothing to go on with.
      if (known === undefined) assert.deepEqual(own.peer.creates, [], `step ${at}`);
      else {
        own.lines = [];
        const line = await own.coordinator().wait('req-1', own.sink, NEVER);
        assert.deepEqual(
          [line.outcome, line.verified, line.observation],
          ['completed', true, 'complete'],
          `step ${at}`,
        );
        assert.equal(new Set(own.peer.creates).size, 1, `step ${at}`);
        assert.equal(own.peer.stories.size, 1, `step ${at}`);
        assert.deepEqual(own.lines.at(-1), line);
      }
      own.close();
    }
  }).timeout(60_000);

  it('goes on after the stored cursor, and prints only the rest', async () => {
    const stop = new AbortController();
    bench.peer.written = 4;
    bench.peer.replace.observe = (honest) =>
      async function* (taskId, options) {
        yield* honest(taskId, options);
        stop.abort();
      };
    const left = await bench.coordinator().delegate(QUESTION, bench.sink, stop.signal);
    assert.deepEqual([left.outcome, left.reason], ['unknown', 'INTERRUPTED']);
    assert.deepEqual(bench.sequences(), [1, 2, 3, 4]);
    assert.equal(bench.store.find('req-1')?.result, undefined);
    assert.ok(bench.lines.every(({ type }) => type !== 'result'));
    bench.lines = [];
    bench.peer.replace = {};
    bench.peer.written = LAST;
    const line = await bench.coordinator().wait(String(left.task_id), bench.sink, NEVER);
    assert.deepEqual([line.outcome, line.observation], ['completed', 'complete']);
    assert.deepEqual(bench.sequences(), [5, 6, 7]);
    assert.equal(bench.peer.creates.length, 1);
    assert.equal(bench.peer.connections, 0);
  });

  it('says the stored result again, to whoever waits later, without a call', async () => {
    const line = await bench.delegate();
    const calls = bench.peer.calls.length;
    bench.lines = [];
    assert.deepEqual(await bench.coordinator().wait('req-1', bench.sink, NEVER), line);
    assert.deepEqual(
      bench.lines.map(({ type }) => type),
      ['accepted', 'result'],
    );
    assert.equal(bench.peer.calls.length, calls);
    await assert.rejects(bench.coordinator().wait('req-9', bench.sink, NEVER), /no single delegation req-9/);
  });

  it('reconciles a local unknown alone: a signed one is final', async () => {
    bench.resultKey = undefined;
    assert.equal((await bench.delegate()).reason, 'KEY_UNKNOWN');
    bench.resultKey = { key: bench.peer.pair.publicKey, notBefore: 0, state: 'active' };
    bench.peer.written = LAST;
    const upgraded = await bench.coordinator().reconcile('req-1', bench.sink, NEVER);
    assert.deepEqual([upgraded.outcome, upgraded.verified], ['completed', true]);
    bench.peer.telling = { outcome: 'unknown' };
    bench.peer.written = undefined;
    const signed = await bench.delegate({ requestId: 'req-2' });
    assert.deepEqual([signed.outcome, signed.verified], ['unknown', true]);
    const calls = bench.peer.calls.length;
    assert.deepEqual(await bench.coordinator().reconcile('req-2', bench.sink, NEVER), signed);
    assert.equal(bench.peer.calls.length, calls);
    assert.ok(bench.peer.creates.length === 2);
  });

  describe('asked to cancel', () => {
    /** Delegates, and leaves as soon as the task is accepted. */
    const accepted = async (): Promise<ResultLine> => {
      const stop = new AbortController();
      bench.peer.written = 2;
      bench.peer.replace.observe = () =>
        async function* () {
          yield* [];
          stop.abort();
        };
      const left = await bench.coordinator().delegate(QUESTION, bench.sink, stop.signal);
      bench.peer.replace = {};
      return left;
    };

    it('asks until it is heard', async () => {
      await accepted();
      let fails = 3;
      bench.peer.replace.cancel = (honest) => async (taskId, options) => {
        fails -= 1;
        if (fails === 2) throw new PeerUnreachable('reset');
        if (fails >= 0) throw new PeerRefusal('STORE_UNAVAILABLE', -32603, true, 50);
        return honest(taskId, options);
      };
      const answer = await bench.coordinator().cancel('req-1', NEVER);
      assert.deepEqual([answer.state, cancelExitCode(answer)], ['TASK_STATE_WORKING', 0]);
    });

    for (const [reason, code] of [
      ['TASK_NOT_CANCELABLE', 0],
      ['TASK_NOT_FOUND', 3],
      ['UNAUTHENTICATED', 3],
    ] as const) {
      it(`passes ${reason} on`, async () => {
        await accepted();
        bench.peer.replace.cancel = () => async () => {
          throw new PeerRefusal(reason, -32002, false);
        };
        const answer = await bench.coordinator().cancel('req-1', NEVER);
        assert.deepEqual([answer.state, cancelExitCode(answer)], [reason, code]);
      });
    }

    it('says that it is only recorded where nobody answers, and whoever waits asks again', async () => {
      await accepted();
      const stop = new AbortController();
      bench.peer.replace.cancel = () => async () => {
        stop.abort();
        throw new PeerUnreachable('down');
      };
      const answer = await bench.coordinator().cancel('req-1', stop.signal);
      assert.deepEqual([answer.state, cancelExitCode(answer)], ['recorded', 4]);
      bench.peer.telling = {};
      let asked = 0;
      bench.peer.replace.cancel = (honest) => async (taskId, options) => {
        asked += 1;
        if (asked === 1) throw new PeerUnreachable('still down');
        bench.peer.written = LAST;
        return honest(taskId, options);
      };
      const line = await bench.coordinator().wait('req-1', bench.sink, NEVER);
      // The agent finished all the same: completed stays completed.
      assert.deepEqual([line.outcome, asked], ['completed', 2]);
    });

    it('while the create is on its way, asks once the task is known', async () => {
      const coordinator = bench.coordinator();
      bench.peer.written = 2;
      bench.peer.replace.create = (honest) => async (request, options) => {
        await coordinator.cancel('req-1', NEVER);
        return honest(request, options);
      };
      bench.peer.replace.cancel = (honest) => async (taskId, options) => {
        bench.peer.written = LAST;
        return honest(taskId, options);
      };
      const line = await coordinator.delegate(QUESTION, bench.sink, NEVER);
      assert.equal(line.outcome, 'completed');
      assert.ok(bench.peer.calls.includes('cancel'));
    });
  });
});
