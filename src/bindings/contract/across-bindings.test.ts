/** One task behind every binding: where it was made cannot be seen from where it is looked at. */
import assert from 'node:assert/strict';
import type { PeerConnection } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
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
});
