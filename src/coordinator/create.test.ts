import assert from 'node:assert/strict';
import { NotNegotiated, PeerRefusal, PeerUnreachable } from './connection.js';
import { DelegateError, type DelegateInput } from './intend.js';
import { Bench, CONFIG, NEVER, QUESTION } from './testing/bench.js';
import { PARAMS } from './testing/fake-peer.js';

describe('getting a request accepted', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  /** The nth create (from 1) ends like this; the others are honest. Runs before or after the executor made the task. */
  const atCreate = (plan: Record<number, { made?: boolean; error: Error }>) => {
    let count = 0;
    bench.peer.replace.create = (honest) => async (request, options) => {
      count += 1;
      const step = plan[count];
      if (step === undefined || step.made === true) {
        const remote = await honest(request, options);
        if (step === undefined) return remote;
      }
      throw step?.error;
    };
  };
  const lost = { made: true, error: new PeerUnreachable('reset') };
  const refused = (reason: string, retryAfterMs?: number) => ({
    error: new PeerRefusal(
      reason,
      -32603,
      ['SATURATED', 'DRAINING', 'STORE_UNAVAILABLE'].includes(reason),
      retryAfterMs,
    ),
  });

  it('sends the same bytes again until there is an answer, and makes one task', async () => {
    atCreate({ 1: { error: new PeerUnreachable('refused') }, 2: lost, 3: refused('SATURATED', 700) });
    const line = await bench.delegate();
    assert.equal(line.outcome, 'completed');
    assert.equal(bench.peer.creates.length, 4);
    assert.equal(new Set(bench.peer.creates).size, 1);
    assert.equal(bench.peer.stories.size, 1);
    assert.equal(bench.lines[0]?.type, 'accepted');
  });

  it('waits as long as the executor asks for, and never so long that the window passes unseen', async () => {
    atCreate({ 1: refused('SATURATED', 90_000) });
    const began = bench.clock.now();
    await bench.delegate();
    assert.ok(bench.clock.now() - began >= 90_000);
    atCreate({ 1: refused('STORE_UNAVAILABLE', 1e15), 2: refused('STORE_UNAVAILABLE', 1e15) });
    const line = await bench.delegate({ requestId: 'req-2' });
    assert.deepEqual([line.outcome, line.reason], ['unknown', 'WINDOW_PASSED']);
  });

  it('is unknown after the window, with every attempt under the one id', async () => {
    bench.peer.replace.create = () => async () => {
      throw new PeerUnreachable('down');
    };
    const began = bench.clock.now();
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.reason, line.task_id], ['unknown', 'WINDOW_PASSED', null]);
    const took = bench.clock.now() - began;
    assert.ok(took <= PARAMS.idempotency.windowSeconds * 1000, String(took));
    assert.equal(new Set(bench.peer.creates).size, 1);
  });

  it('is refused by its own deadline while nothing could be sent at all', async () => {
    bench.peer.replace.describe = () => async () => {
      throw new PeerUnreachable('no route');
    };
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.reason], ['refused', 'UNREACHABLE']);
    assert.equal(bench.peer.creates.length, 0);
    assert.equal(bench.store.find('req-1')?.sent, false);
  });

  it('ends even when the executor never comes back after a create was sent', async () => {
    let describes = 0;
    bench.peer.replace.describe = (honest) => async (options) => {
      describes += 1;
      if (describes > 1) throw new PeerUnreachable('gone');
      return honest(options);
    };
    atCreate({ 1: lost });
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.reason], ['unknown', 'WINDOW_PASSED']);
  });

  for (const reason of ['MALFORMED', 'CONFLICT', 'STALE', 'UNAUTHENTICATED', 'NOT_NEGOTIATED']) {
    it(`takes ${reason} for what it is when it answers the first attempt`, async () => {
      atCreate({ 1: refused(reason) });
      const line = await bench.delegate();
      assert.deepEqual([line.outcome, line.reason, line.verified], ['refused', reason, false]);
      assert.equal(bench.peer.creates.length, 1);
    });
  }

  it('takes a refusal of a retry as proof only where the first attempt would have met it too', async () => {
    atCreate({ 1: { error: new PeerUnreachable('cut') }, 2: refused('STALE') });
    assert.deepEqual((await bench.delegate()).outcome, 'refused');
    atCreate({ 1: lost, 2: refused('UNAUTHENTICATED') });
    const line = await bench.delegate({ requestId: 'req-2' });
    assert.deepEqual([line.outcome, line.reason], ['unknown', 'UNAUTHENTICATED']);
  });

  it('cannot take a refusal as proof on a channel that somebody else terminates', async () => {
    bench.config = { ...CONFIG, peers: [{ peer: 'oab-b', capabilities: ['repo:read'], endToEnd: false }] };
    atCreate({ 1: refused('CONFLICT') });
    assert.equal((await bench.delegate()).outcome, 'unknown');
  });

  it('sends nothing to a peer that has not negotiated', async () => {
    bench.peer.replace.describe = () => async () => {
      throw new NotNegotiated('EXTENSION_ABSENT');
    };
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.reason], ['refused', 'NOT_NEGOTIATED']);
    assert.deepEqual(bench.peer.calls, []);
  });

  it('asks a task to stop that was made without the profile, and never trusts it', async () => {
    let cancelled: string | undefined;
    bench.peer.replace.create = (honest) => async (request, options) => {
      const { task } = await honest(request, options);
      throw new NotNegotiated('no echo', task.id);
    };
    bench.peer.replace.cancel = (honest) => async (taskId, options) => {
      cancelled = taskId;
      return honest(taskId, options);
    };
    const line = await bench.delegate();
    assert.equal(line.outcome, 'unknown');
    assert.match(String(line.reason), /^NOT_NEGOTIATED/);
    assert.equal(cancelled, [...bench.peer.stories.keys()][0]);
  });

  for (const [what, change, expected] of [
    ['from a delegated session', { delegated: true }, /DEPTH_EXCEEDED/],
    ['to a peer that is not configured', { peer: 'oab-x' }, /oab-x is not configured/],
    ['beyond policy A', { capabilities: ['net:fetch'] }, /CAPABILITY_WIDENED: net:fetch/],
    ['beyond the grants of the caller', { grants: [] }, /CAPABILITY_WIDENED/],
    ['for a capability that does not exist', { capabilities: ['root'] }, /CAPABILITY_UNKNOWN: root/],
    ['for nothing', { capabilities: [] }, /AUTHORITY_EMPTY/],
    ['with an id that no header could carry', { requestId: 'a b' }, /request_id/],
    ['without a task', { task: '' }, /task/],
    ['for half a character', { task: 'x\ud800' }, /no Unicode text/],
    ['until yesterday', { deadlineMs: -1 }, /deadline_ms/],
  ] as [string, Partial<DelegateInput>, RegExp][]) {
    it(`refuses here to delegate ${what}: nothing is sent or stored`, async () => {
      await assert.rejects(
        bench.delegate(change),
        (error) => error instanceof DelegateError && expected.test(error.message),
      );
      assert.deepEqual([bench.peer.calls, bench.store.all()], [[], []]);
    });
  }

  it('takes the same question under the same id as the one that it is, and refuses another', async () => {
    const first = await bench.delegate();
    const again = await bench.delegate();
    assert.deepEqual(again, first);
    assert.equal(bench.peer.creates.length, 1);
    await assert.rejects(
      bench.delegate({ task: 'something else' }),
      /exists already and asks for something else/,
    );
  });

  it('does not send what was cancelled before', async () => {
    const coordinator = bench.coordinator();
    coordinator.record(QUESTION);
    assert.deepEqual(await coordinator.cancel('req-1', NEVER), { task_id: null, state: 'recorded' });
    const line = await coordinator.wait('req-1', bench.sink, NEVER);
    assert.deepEqual([line.outcome, line.reason], ['refused', 'CANCELLED_BEFORE_SENDING']);
    assert.deepEqual(bench.peer.creates, []);
  });
});
