/** What a coordinator may rely on, whichever binding lies between it and an executor. */
import assert from 'node:assert/strict';
import { type PeerConnection, PeerRefusal } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { bearer, openRig, type Rig, SPOKEN } from '../testing/rig.js';
import { follow, newLog, pages } from './follow.js';

const signal = () => AbortSignal.timeout(10_000);
const ask = (task: string) => requestOf({ task, budget: { max_output_bytes: 1024 * 1024 } }).request;

const refused = (asked: Promise<unknown>, reason: string, more: Partial<PeerRefusal> = {}) =>
  assert.rejects(asked, (error) => {
    assert.ok(error instanceof PeerRefusal, String(error));
    assert.equal(error.reason, reason);
    for (const [name, value] of Object.entries(more))
      assert.equal(error[name as keyof PeerRefusal], value, name);
    return true;
  });

for (const binding of SPOKEN) {
  describe(`a connection to an executor over ${binding}`, () => {
    let rig: Rig;
    let peer: PeerConnection;
    beforeEach(async () => {
      rig = await openRig();
      peer = rig.client(binding);
    });
    afterEach(() => rig.close());

    const create = async (task: string) => {
      const request = ask(task);
      return { request, id: (await peer.create(request, { signal: signal() })).task.id };
    };
    const whole = async (id: string, log: ReturnType<typeof newLog>) => {
      const { result, position } = await rig.client(binding).get(id, undefined, { signal: signal() });
      assert.deepEqual(
        log.sequences,
        Array.from({ length: position?.sequence ?? 0 }, (_, n) => n + 1),
      );
      assert.deepEqual([log.ended, log.head, log.head], [true, result?.event_log.head, position?.head]);
      return result;
    };

    it('carries a task from create to its verified log', async () => {
      const { request, id } = await create('hold 3');
      assert.equal(
        (await peer.create(request, { signal: signal() })).task.id,
        id,
        'the same again is the same task',
      );
      const log = newLog(id, request);
      // SUBMITTED, WORKING and the one chunk before the task is held: from here on nothing moves until it is released.
      await rig.opened.journal.wake(id, 2, signal());
      await pages(peer, id, log, 2);
      const following = follow(peer, id, log);
      rig.release();
      await following;
      assert.equal((await whole(id, log))?.status, 'completed');
    });

    it('goes on at any place on another connection, and after the end', async () => {
      const { request, id } = await create('hold 40');
      const log = newLog(id, request);
      await follow(peer, id, log, ({ sequences }) => sequences.length >= 2);
      rig.release();
      await follow(rig.client(binding), id, log, ({ sequences }) => sequences.length >= 20);
      await follow(rig.client(binding), id, log);
      await whole(id, log);
    });

    it('records a cancel, and refuses one that comes too late', async () => {
      const { request, id } = await create('hold');
      const before = await peer.cancel(id, { signal: signal() });
      assert.equal(before.task.id, id);
      const log = newLog(id, request);
      await follow(peer, id, log);
      assert.equal((await whole(id, log))?.status, 'cancelled');
      await refused(peer.cancel(id, { signal: signal() }), 'TASK_NOT_CANCELABLE', { transient: false });
    });

    it('knows one answer for what is nobody’s and what is somebody else’s', async () => {
      const { id } = await create('hold');
      const other = rig.client(binding, { credentials: (req) => bearer({ req, peer: 'oab-c' }) });
      for (const one of [id, 'nobody'])
        for (const cursor of [undefined, '0', 'no-cursor'])
          await refused(other.get(one, cursor, { signal: signal() }), 'TASK_NOT_FOUND');
      await refused(other.cancel(id, { signal: signal() }), 'TASK_NOT_FOUND');
      await refused(other.observe(id, { signal: signal() })[Symbol.asyncIterator]().next(), 'TASK_NOT_FOUND');
    });

    it('has the profile’s reasons for what it refuses', async () => {
      const { request, id } = await create('hold');
      await refused(peer.get(id, 'no-cursor', { signal: signal() }), 'CURSOR_INVALID');
      const other = { ...request, task: 'another question' };
      await refused(peer.create(other, { signal: signal() }), 'CONFLICT', { transient: false });
      const { nonce } = request;
      await refused(peer.create({ ...ask('x'), nonce }, { signal: signal() }), 'NONCE_REUSED');
      const unbound = rig.client(binding, { credentials: () => bearer() });
      await refused(unbound.create(ask('x'), { signal: signal() }), 'TOKEN_MISMATCH');
      await refused(
        peer.create({ ...ask('x'), issued_at: '2020-01-01T00:00:00.000Z' }, { signal: signal() }),
        'STALE',
      );
    });

    it('says what may be sent again, and when', async () => {
      await rig.opened.executor.drain();
      await refused(peer.create(ask('x'), { signal: signal() }), 'DRAINING', {
        transient: true,
        retryAfterMs: 1000,
      });
    });

    it('leaves a stream its life when its token expires, and refuses what is asked after that', async () => {
      let expired = false;
      const aging = () => rig.client(binding, { credentials: (req) => bearer({ req, expired }) });
      const { request, id } = await create('hold 30');
      const log = newLog(id, request);
      const reader = aging();
      let opened = () => {};
      const open = new Promise<void>((resolve) => {
        opened = resolve;
      });
      const following = follow(reader, id, log, ({ sequences }) => {
        if (sequences.length >= 3) opened();
        return false;
      });
      await open;
      expired = true;
      await refused(aging().get(id, undefined, { signal: signal() }), 'UNAUTHENTICATED', {
        transient: false,
      });
      rig.release();
      await following;
      await whole(id, log);
      expired = false;
      const again = newLog(id, request);
      await follow(aging(), id, again);
      assert.equal(again.head, log.head);
    });

    it('is not held up by a reader that stops (OPEN-29)', async () => {
      const { request, id } = await create('900');
      const stopped = peer.observe(id, { signal: signal() })[Symbol.asyncIterator]();
      await stopped.next().catch(() => undefined);
      const log = newLog(id, request);
      await follow(rig.client(binding), id, log);
      assert.ok(log.sequences.length > 900);
      await whole(id, log);
      await stopped.return?.();
    });
  });
}
