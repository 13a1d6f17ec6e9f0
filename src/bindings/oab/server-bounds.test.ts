import assert from 'node:assert/strict';
import { CONFIG, requestOf } from '../../executor/testing/harness.js';
import { headAfter } from '../../profile/chain.js';
import type { Digest } from '../../profile/model.js';
import { requestDigest } from '../../profile/request.js';
import { sendItems } from '../websocket/stream.js';
import { bearer, openRig, type RawConnection } from './testing/rig.js';

type Json = Record<string, unknown>;
type Rig = Awaited<ReturnType<typeof openRig>>;
const MIB = 1024 * 1024;
const resultOf = (frame: Json) => frame.result as Json;
const reasonOf = (frame: Json) => ((frame.error as Json)?.data as Json)?.reason;

const create = async (connection: RawConnection, task: string) => {
  const { request } = requestOf({ task, budget: { max_output_bytes: MIB } });
  return resultOf(await connection.call('create', { request }, bearer({ req: requestDigest(request) })));
};
const follow = (connection: RawConnection, id: string, task_id: unknown, cursor: unknown = '0') =>
  connection.send({ jsonrpc: '2.0', id, method: 'events', params: { task_id, cursor }, token: bearer() });
const ended = (connection: RawConnection, id: string) =>
  connection.next(({ method, params }) => method === '$/streamEnd' && (params as Json).id === id);
const itemsOf = ({ frames }: RawConnection, id: string) =>
  frames.filter((frame) => frame.id === id).map(resultOf);

describe('the bounds of the custom OAB protocol’s server', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  describe('a log that was trimmed', () => {
    it('begins with an explicit gap, alone, and goes on from its head to the signed end (D-12)', async () => {
      rig = await openRig();
      const connection = await rig.connect();
      const { task_id } = await create(connection, 'say 3');
      follow(connection, 'whole', task_id);
      await ended(connection, 'whole');
      const whole = itemsOf(connection, 'whole');
      await rig.opened.journal.trim(Date.now() + 1000, 0);
      follow(connection, 'late', task_id, whole[1]?.cursor);
      assert.deepEqual((await ended(connection, 'late')).params, { id: 'late', reason: 'complete' });
      const [gap, ...rest] = itemsOf(connection, 'late');
      assert.deepEqual(Object.keys(gap ?? {}), ['floor']);
      const floor = gap?.floor as { sequence: number; head: Digest };
      assert.deepEqual(
        rest.map(({ sequence }) => sequence),
        whole.map(({ sequence }) => sequence).filter((sequence) => Number(sequence) > floor.sequence),
      );
      const head = rest.reduce((before, { event }) => headAfter(before, event as never), floor.head);
      const signed = rest.at(-1)?.result as { event_log: { head: Digest } } | undefined;
      assert.equal(signed?.event_log.head, head);
      // Whoever stands at the floor has missed nothing.
      follow(connection, 'there', task_id, whole.at(-2)?.cursor);
      await ended(connection, 'there');
      assert.deepEqual(itemsOf(connection, 'there'), rest);
    });
  });

  it('holds little for a reader that stops, and all of it comes when it goes on (OPEN-29)', async () => {
    const streams = 16;
    const handed = { s: 0, o: 0 };
    // Of one length, so that every stream is as long as the other.
    const id = (side: string, n: number) => `${side}${String(n).padStart(2, '0')}`;
    rig = await openRig(
      { heartbeatMs: 15_000 },
      {
        sendItems: (sink, ...rest) =>
          sendItems(
            {
              send(items) {
                for (const item of items)
                  handed[item.includes('"id":"s') ? 's' : 'o'] += Buffer.byteLength(item);
                return sink.send(items);
              },
            },
            ...rest,
          ),
      },
    );
    const stopped = await rig.connect();
    const other = await rig.connect();
    const { task_id } = await create(other, 'hold 800');
    for (const [side, connection] of [
      ['s', stopped],
      ['o', other],
    ] as [string, RawConnection][]) {
      for (let n = 0; n < streams; n += 1) {
        follow(connection, id(side, n), task_id);
        const params = { id: id(side, n), events: 1_000_000 };
        connection.send({ jsonrpc: '2.0', method: '$/credit', params });
      }
      // An answer comes when all of that was taken.
      await connection.call('describe');
    }
    stopped.ws.pause();
    rig.release();
    // When another has read it all, what waits is still no more than the kernel and one batch a stream hold.
    for (let n = 0; n < streams; n += 1) await ended(other, id('o', n));
    const read = itemsOf(other, 'o00');
    const all = streams * read.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
    const waiting = handed.s;
    assert.ok(handed.o >= all && all > streams * 0.75 * MIB, `${handed.o} of ${all} bytes`);
    assert.ok(waiting < 0.6 * all, `${waiting} of ${all} bytes wait`);

    stopped.ws.resume();
    for (let n = 0; n < streams; n += 1) await ended(stopped, id('s', n));
    assert.equal(handed.s, handed.o);
    for (const n of [0, streams - 1]) assert.deepEqual(itemsOf(stopped, id('s', n)), read);
  });

  describe('what is said of ids', () => {
    it('a frame that is wrong and has the id of what is open: 1008, and no error for what is open', async () => {
      rig = await openRig();
      const connection = await rig.connect();
      const { task_id } = await create(connection, 'hold');
      follow(connection, 's', task_id);
      await connection.next(({ id }) => id === 's');
      connection.send({ jsonrpc: '2.0', id: 's', method: 'nothing', token: bearer() });
      assert.equal(await connection.closed, 1008);
      assert.ok(connection.frames.every(({ error }) => error === undefined));
    });
    it('credit and an end for nobody’s stream change nothing, and a text is not a number', async () => {
      rig = await openRig();
      const connection = await rig.connect();
      for (const id of ['none', 7]) {
        connection.send({ jsonrpc: '2.0', method: '$/credit', params: { id, events: 2 ** 31 - 1 } });
        connection.send({ jsonrpc: '2.0', method: '$/cancelStream', params: { id } });
      }
      const { task_id } = await create(connection, 'hold');
      follow(connection, '1', task_id);
      await connection.next(({ id }) => id === '1');
      connection.send({ jsonrpc: '2.0', method: '$/cancelStream', params: { id: 1 } });
      await connection.call('describe');
      assert.ok(connection.frames.every(({ method }) => method === undefined));
    });
  });

  describe('a credential', () => {
    it('that has expired opens no stream: an error, then 4401', async () => {
      rig = await openRig();
      const connection = await rig.connect();
      const { task_id } = await create(connection, 'say 1');
      const params = { task_id, cursor: '0' };
      const answer = await connection.call('events', params, bearer({ expired: true }));
      assert.equal(reasonOf(answer), 'UNAUTHENTICATED');
      assert.equal(await connection.closed, 4401);
      assert.equal(connection.frames.filter(({ result }) => 'event' in ((result ?? {}) as Json)).length, 0);
    });
    it('that does not count learns nothing of what is wrong with its frame', async () => {
      rig = await openRig();
      for (const wrong of [{ method: 'nothing' }, { method: 'get', params: [] }, { method: 'get', x: 1 }]) {
        const connection = await rig.connect();
        connection.send({ jsonrpc: '2.0', id: 1, ...wrong, token: bearer({ expired: true }) });
        assert.equal(reasonOf(await connection.next()), 'UNAUTHENTICATED');
        assert.equal(await connection.closed, 4401);
      }
    });
  });

  it('tells whoever asks too often when to come again, by faults as by requests, and keeps the connection', async () => {
    rig = await openRig({ limits: { ...CONFIG.limits, rate: 0.001 } });
    const connection = await rig.connect();
    const seen = new Set<unknown>();
    for (let n = 0; n < 8; n += 1) {
      connection.send('{');
      seen.add(reasonOf(await connection.next()));
    }
    assert.deepEqual([...seen], ['PARSE_ERROR', 'SATURATED']);
    assert.equal(reasonOf(await connection.call('describe')), 'SATURATED');
    const { error } = connection.frames.find((frame) => reasonOf(frame) === 'SATURATED') ?? {};
    assert.ok(Number(((error as Json).data as Json).retry_after_ms) > 0);
    assert.equal((error as Json).code, -32603);
    assert.equal(connection.ws.readyState, connection.ws.OPEN);
  });

  it('refuses what is new while it drains, answers what is read, and makes no task', async () => {
    rig = await openRig();
    const connection = await rig.connect();
    const { task_id } = await create(connection, 'say 1');
    follow(connection, 's', task_id);
    await ended(connection, 's');
    await rig.opened.executor.drain();
    const { request } = requestOf({ task: 'say 1' });
    const answer = await connection.call('create', { request }, bearer({ req: requestDigest(request) }));
    assert.equal(reasonOf(answer), 'DRAINING');
    assert.ok(Number(((answer.error as Json).data as Json).retry_after_ms) > 0);
    assert.equal(resultOf(await connection.call('get', { task_id })).task_id, task_id);
  });
});
