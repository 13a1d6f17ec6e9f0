import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Connection } from '../client/connection.js';
import { taskOn } from '../client/create.js';
import { EventStream } from '../client/stream.js';
import { findNginx } from './nginx.js';
import { openWays } from './ways.js';

describe('the ways to an executor', () => {
  it('all lead to the same one, and end with it', async () => {
    const { ways, missing, requests, executor, close } = await openWays([]);
    const pids = new Set(ways.flatMap((way) => way.pids));
    try {
      const absent = Object.keys(findNginx().missing);
      assert.equal(missing.length, absent.length);
      const names = ways.map(({ name }) => name);
      const wanted = ['relayed', 'nginx stream', 'direct', 'nginx http'];
      assert.deepEqual(
        names,
        wanted.filter((name) => !absent.some((kind) => name === `nginx ${kind}`)),
      );
      const [first] = ways;
      assert.ok(first);
      const plan = { say: 'status', count: 0, bytes: 9, held: 'h' } as const;
      const taskId = await taskOn(new Connection(await first.dial()), requests, plan);
      const streams = [];
      for (const way of ways) {
        const stream = EventStream.over(await way.dial(), requests.subscribe(taskId));
        await stream.reached(1);
        streams.push(stream);
      }
      await executor.go('h', 40);
      for (const stream of streams) await stream.reached(41);
      await executor.go('h', 0);
      for (const stream of streams) await stream.ended(42);
      for (const way of ways) {
        const connection = new Connection(await way.dial());
        assert.match((await connection.exchange(requests.get(taskId))).toString(), /TASK_STATE_COMPLETED/);
        connection.close();
      }
      for (const way of ways) assert.ok(way.cpu() > 0);
    } finally {
      await close();
    }
    for (const pid of pids) assert.ok(!existsSync(`/proc/${pid}`));
  });

  it('start no more than they are asked for', async () => {
    const { ways, close } = await openWays([], ['direct']);
    assert.deepEqual(
      ways.map(({ name, pids }) => [name, pids.length]),
      [['direct', 1]],
    );
    await close();
  });
});
