import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { Digest, EventBody } from '../../profile/model.js';
import { until } from '../lab/deadline.js';
import { openLab } from '../lab/lab.js';
import type { Lab } from '../lab/ports.js';
import type { Json } from '../wire/probe.js';
import { type WireRequest, wireDigest, wireRequest } from '../wire/request.js';
import { verifyResult } from '../wire/verify-result.js';
import { type FakeExecutor, fakeExecutor } from './fake-executor.js';
import type { FakeParts } from './fake-parts.js';

describe('the harness in an executor’s place on the OAB protocol', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab({ caseId: 'fake-oab', seed: '1' });
  });
  afterEach(() => lab.close());

  const open = async (change: Partial<FakeParts> = {}) => {
    const fake = await fakeExecutor(lab, 'fake', 'gate', change, { binding: 'OAB', topology: 'direct' });
    return { fake, client: await dial(fake) };
  };

  it('describes itself, and tells one finished task that verifies', async () => {
    const { fake, client } = await open();
    const described = await client.call('describe', {});
    assert.equal((described.result as Json).peer, fake.peer);
    assert.equal('serviceParameter' in ((described.result as { params: Json }).params.cursor as Json), false);
    const request = wireRequest(fake.peer, 'a task');
    const admitted = (await client.call('create', { request })).result as Json;
    assert.deepEqual([admitted.sequence, admitted.cursor, admitted.result], [1, 'c1', undefined]);
    const task = (await client.call('get', { task_id: admitted.task_id })).result as Json;
    assert.ok(await verifyResult(task.result as Json, fake.resultKeys));

    const items = await client.stream('events', { task_id: admitted.task_id, cursor: '0' });
    assert.deepEqual(
      items.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5],
    );
    assert.equal(headOf(items, request, String(task.task_id)), task.head);
    assert.deepEqual(items.at(-1)?.result, task.result);
    assert.deepEqual(
      items.map((item) => [item.owner, item.deadline_at !== undefined]),
      [
        [undefined, true],
        [undefined, false],
        ['oab-b', false],
        ['oab-b', false],
        [undefined, false],
      ],
    );
    assert.deepEqual(client.ends, ['complete']);
    const rest = await client.stream('events', { task_id: admitted.task_id, cursor: 'c3' });
    assert.deepEqual(
      rest.map(({ sequence }) => sequence),
      [4, 5],
    );
    assert.deepEqual(
      fake.received.map(({ rpc, cursor }) => [rpc, cursor]),
      [
        [undefined, undefined],
        ['describe', undefined],
        ['create', undefined],
        ['get', undefined],
        ['events', '0'],
        ['events', 'c3'],
      ],
    );
  });

  it('sends what is live to the first observer alone, each piece as it is', async () => {
    const { fake, client } = await open({
      live: (events) => events.slice(0, 2),
      encode: (items) => [...items, Buffer.from('bytes')],
    });
    const request = wireRequest(fake.peer, 'a task');
    const { task_id } = (await client.call('create', { request })).result as Json;
    const items = await client.stream('events', { task_id, cursor: '0' });
    assert.deepEqual([items.map(({ sequence }) => sequence), client.binary], [[1, 2], 1]);
    assert.deepEqual(client.ends, ['interrupted']);
    const rest = await client.stream('events', { task_id, cursor: 'c2' });
    assert.deepEqual(
      rest.map(({ sequence }) => sequence),
      [3, 4, 5],
    );
  });

  it('holds back what no credit is left for, and ends as asked', async () => {
    const many = Array.from({ length: 100 }, () => 'x');
    const { fake, client } = await open({ live: (events) => events, encode: () => many });
    const { task_id } = (await client.call('create', { request: wireRequest(fake.peer, 'a task') }))
      .result as Json;
    const id = client.send('events', { task_id, cursor: '0' });
    const seen = (count: number) =>
      until(() => (client.strange.length >= count ? true : undefined), { ms: 5000, what: 'items' });
    await seen(64);
    client.control('$/credit', { id, events: 6 });
    await client.call('describe', {});
    assert.equal(client.strange.length, 70);
    client.control('$/cancelStream', { id });
    await client.call('describe', {});
    assert.deepEqual([client.strange.length, client.ends], [70, ['cancelled']]);
  });

  it('refuses what no honest coordinator sends', async () => {
    const { client } = await open();
    const refused = async (method: string, params: unknown, more: Json = {}) => {
      const { error } = await client.call(method, params, more);
      const { code, data } = error as { code: number; data: { reason: string } };
      return [code, data.reason];
    };
    assert.deepEqual(await refused('SendMessage', {}), [-32601, 'METHOD_NOT_FOUND']);
    assert.deepEqual(await refused('describe', { more: 1 }), [-32602, 'UNKNOWN_MEMBER']);
    assert.deepEqual(await refused('describe', {}, { more: 1 }), [-32602, 'UNKNOWN_MEMBER']);
    assert.deepEqual(await refused('get', {}), [-32602, 'MALFORMED']);
    assert.deepEqual(await refused('get', { task_id: 'x' }), [-32001, 'TASK_NOT_FOUND']);
    assert.deepEqual(await refused('events', { task_id: 'x', cursor: '0' }), [-32001, 'TASK_NOT_FOUND']);
    assert.deepEqual(await refused('describe', {}, { token: undefined }), [-32603, 'UNAUTHENTICATED']);
    assert.equal(await client.closed, 4401);
  });

  it('opens nothing without a token or the subprotocol', async () => {
    const { fake } = await open();
    await assert.rejects(dial(fake, { subprotocol: 'oab.a2a.v1' }), /400/);
    await assert.rejects(dial(fake, { token: null }), /401/);
  });
});

type Client = Awaited<ReturnType<typeof dial>>;

async function dial(
  { ca, connect }: FakeExecutor,
  { subprotocol = 'oab.delegation.v1', token = 'a.b.c' as string | null } = {},
) {
  const options = {
    ca: readFileSync(ca),
    servername: 'oab-b.lab',
    perMessageDeflate: false,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  };
  const socket = new WebSocket(`wss://${connect}/`, [subprotocol], options);
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  const client = {
    binary: 0,
    ends: [] as string[],
    strange: [] as string[],
    closed: new Promise<number>((resolve) => socket.on('close', resolve)),
    send(method: string, params: unknown, more: Json = {}) {
      next += 1;
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: next, method, params, token, ...more }));
      return next;
    },
    control: (method: string, params: unknown) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', method, params })),
    call: (method: string, params: unknown, more: Json = {}) => {
      const id = client.send(method, params, more);
      return until(() => frames.find((frame) => frame.id === id), { ms: 5000, what: method });
    },
    async stream(method: string, params: unknown) {
      const ended = client.ends.length;
      const id = client.send(method, params);
      await until(() => (client.ends.length > ended ? true : undefined), { ms: 5000, what: method });
      return frames.filter((frame) => frame.id === id).map(({ result }) => result as Json);
    },
  };
  let next = 0;
  const frames: Json[] = [];
  socket.on('message', (data: Buffer, binary: boolean) => {
    if (binary) {
      client.binary += 1;
      return;
    }
    const text = data.toString();
    if (text === 'x') {
      client.strange.push(text);
      return;
    }
    const frame = JSON.parse(text) as Json;
    if (frame.method === '$/streamEnd') client.ends.push(String((frame.params as Json).reason));
    else frames.push(frame);
  });
  return client;
}

function headOf(items: Awaited<ReturnType<Client['stream']>>, request: WireRequest, taskId: string): Digest {
  return items.reduce<Digest>(
    (head, { event }) => headAfter(head, event as EventBody),
    firstHead(taskId, wireDigest(request) as Digest),
  );
}
