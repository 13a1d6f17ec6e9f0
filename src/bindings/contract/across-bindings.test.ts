/** One task behind every binding: where it was made cannot be seen from where it is looked at. */
import assert from 'node:assert/strict';
import type { PeerConnection } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { canonicalEvent } from '../../profile/event-form.js';
import { openRig, type Rig, SPOKEN } from '../testing/rig.js';
import { follow, newLog, pages } from './follow.js';

const signal = () => AbortSignal.timeout(10_000);

describe('a task on every binding', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  for (const made of SPOKEN)
    it(`that was made on ${made} is seen, resumed and cancelled on the others`, async () => {
      const { request } = requestOf({ task: 'hold 5', budget: { max_output_bytes: 100_000 } });
      const maker = rig.client(made);
      const { id } = (await maker.create(request, { signal: signal() })).task;
      await rig.opened.journal.wake(id, 2, signal());
      const peers = Object.fromEntries(SPOKEN.map((name) => [name, rig.client(name)])) as Record<
        string,
        PeerConnection
      >;
      const places: unknown[] = [];
      const log = newLog(id, request);
      for (const [name, peer] of Object.entries(peers)) {
        assert.equal((await peer.create(request, { signal: signal() })).task.id, id, name);
        const { task, position } = await peer.get(id, undefined, { signal: signal() });
        places.push([task.contextId, task.status, position?.sequence, position?.cursor, position?.head]);
        // Each reads on from the cursor that another binding gave.
        await pages(peer, id, log);
      }
      assert.deepEqual(
        places,
        places.map(() => places[0]),
      );
      const [canceller] = SPOKEN.filter((name) => name !== made);
      await peers[canceller as string]?.cancel(id, { signal: signal() });
      await follow(maker, id, log);
      const results = await Promise.all(
        Object.values(peers).map((peer) => peer.get(id, undefined, { signal: signal() })),
      );
      assert.deepEqual(
        results.map(({ result }) => [result?.status, result?.event_log.head]),
        results.map(() => ['cancelled', log.head]),
      );
      const tasks = results.map(({ task: { artifacts, status } }) => ({ artifacts, status }));
      assert.deepEqual(
        tasks,
        tasks.map(() => tasks[0]),
      );
    });

  it('is visible on the others: one Task, one log, one result', async () => {
    const made = await Promise.all(
      SPOKEN.map(async (binding) => {
        const { request } = requestOf({ task: 'hold 8', budget: { max_output_bytes: 100_000 } });
        const { id, contextId } = (await rig.client(binding).create(request, { signal: signal() })).task;
        await rig.opened.journal.wake(id, 2, signal());
        // One reader on each binding, all of them there before the task goes on.
        const readers = SPOKEN.map((name) => ({ peer: rig.client(name), log: newLog(id, request) }));
        for (const { peer, log } of readers) await pages(peer, id, log);
        return { id, contextId, readers };
      }),
    );
    const following = made.flatMap(({ id, readers }) =>
      readers.map(({ peer, log }) => follow(peer, id, log)),
    );
    rig.release();
    await Promise.all(following);

    for (const [at, { id, contextId, readers }] of made.entries()) {
      const look = async (peer: PeerConnection, cursor?: string) => {
        const { task, result, position, page } = await peer.get(id, cursor, { signal: signal() });
        const { status, artifacts } = task;
        const place = [position?.turn_id, position?.sequence, position?.cursor, position?.head];
        const events = page?.events.map(({ sequence, cursor: its, event }) => ({
          place: [sequence, its],
          event: canonicalEvent(event),
        }));
        return { shown: { names: [task.id, task.contextId], status, artifacts, result, place }, events };
      };
      const maker = readers[at] as (typeof readers)[number];
      const { shown, events = [] } = await look(maker.peer, '0');
      assert.equal(events.length, maker.log.sequences.length);
      for (const { peer, log } of readers) {
        assert.deepEqual(log, maker.log);
        assert.deepEqual((await look(peer)).shown, shown);
        for (const from of [0, Math.floor(events.length / 2), events.length - 1])
          assert.deepEqual((await look(peer, String(events[from]?.place[1]))).events, events.slice(from + 1));
      }
      const { json } = await rig.ask({ method: 'GET', path: `/tasks?contextId=${contextId}` });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { contextId } });
      const { result } = (await rig.ask({ body })).json as { result?: unknown };
      assert.deepEqual(result, json);
      assert.deepEqual(
        (json.tasks as { id: string }[]).map((task) => task.id),
        [id],
      );
    }
  });
});
