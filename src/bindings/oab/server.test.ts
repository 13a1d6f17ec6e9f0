import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { requestOf } from '../../executor/testing/harness.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { Digest } from '../../profile/model.js';
import { requestDigest } from '../../profile/request.js';
import { SUBPROTOCOL } from './names.js';
import { bearer, openRig, type RawConnection } from './testing/rig.js';

type Json = Record<string, unknown>;
const resultOf = (frame: Json) => frame.result as Json;
const reasonOf = (frame: Json) => ((frame.error as Json)?.data as Json)?.reason;

/** The names of all members at every depth. */
const membersOf = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [name, ...membersOf(inner)]);

describe('the custom OAB protocol’s server', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  const create = (connection: RawConnection, task: string) => {
    const { request } = requestOf({ task, budget: { max_output_bytes: 1024 * 1024 } });
    return connection
      .call('create', { request }, bearer({ req: requestDigest(request) }))
      .then((frame) => ({ request, task: resultOf(frame) }));
  };
  const items = async (connection: RawConnection, id: string) => {
    await connection.next(({ method, params }) => method === '$/streamEnd' && (params as Json).id === id);
    return connection.frames.filter((frame) => frame.id === id).map(resultOf);
  };

  it('carries a task from create to its signed end, and the chain holds over the bodies as they came', async () => {
    const connection = await rig.connect();
    const { request, task } = await create(connection, 'say 3');
    const token = bearer();
    connection.send({
      jsonrpc: '2.0',
      id: 's',
      method: 'events',
      params: { task_id: task.task_id, cursor: '0' },
      token,
    });
    const got = await items(connection, 's');
    assert.deepEqual(
      got.map(({ sequence }) => sequence),
      got.map((_, index) => index + 1),
    );
    let head = firstHead(String(task.task_id), requestDigest(request));
    for (const { event } of got) head = headAfter(head, event as never);
    const last = got.at(-1)?.result as { event_log: { head: Digest }; status: string };
    assert.deepEqual([last.status, last.event_log.head], ['completed', head]);
    const end = connection.frames.at(-1);
    assert.deepEqual(end, { jsonrpc: '2.0', method: '$/streamEnd', params: { id: 's', reason: 'complete' } });
    assert.deepEqual(
      [got[0]?.effective_capabilities, typeof got[0]?.deadline_at, got[1]?.deadline_at],
      [['repo:read'], 'string', undefined],
    );
    const after = resultOf(await connection.call('get', { task_id: task.task_id }));
    assert.deepEqual([after.head, after.result], [head, last]);
    // Signatures and cursors are random, so that short names are looked for among the members alone.
    assert.doesNotMatch(JSON.stringify(connection.frames), /openabdev|a2a-protocol/i);
    assert.doesNotMatch(membersOf(connection.frames).join(), /a2a|\//i);
  });

  it('describes itself', async () => {
    const connection = await rig.connect();
    const { protocol_version, peer, params } = resultOf(await connection.call('describe'));
    assert.deepEqual([protocol_version, peer], [1, 'oab-b']);
    assert.deepEqual((params as Json).cursor, { retentionSeconds: 86_400 });
  });

  it('ends a stream at once for a cursor at the end, and says complete', async () => {
    const connection = await rig.connect();
    const { task } = await create(connection, 'say 1');
    connection.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'events',
      params: { task_id: task.task_id, cursor: '0' },
      token: bearer(),
    });
    await connection.next(({ method }) => method === '$/streamEnd');
    const { cursor } = resultOf(await connection.call('get', { task_id: task.task_id }));
    connection.send({
      jsonrpc: '2.0',
      id: 2,
      method: 'events',
      params: { task_id: task.task_id, cursor },
      token: bearer(),
    });
    const end = await connection.next(({ method }) => method === '$/streamEnd');
    assert.deepEqual(end.params, { id: 2, reason: 'complete' });
    assert.equal(connection.frames.filter(({ id }) => id === 2).length, 0);
  });

  it('records a cancel as an event, and answers with the task as it is', async () => {
    const connection = await rig.connect();
    const { task } = await create(connection, 'hold');
    connection.send({
      jsonrpc: '2.0',
      id: 's',
      method: 'events',
      params: { task_id: task.task_id, cursor: '0' },
      token: bearer(),
    });
    const answered = resultOf(await connection.call('cancel', { task_id: task.task_id }));
    assert.equal(typeof answered.cancel_requested_at, 'string');
    rig.release();
    const got = await items(connection, 's');
    assert.equal(got.filter(({ cancel_requested_at }) => cancel_requested_at !== undefined).length, 1);
  });

  describe('credits', () => {
    it('hold the server back at 64, and more are given', async () => {
      const connection = await rig.connect();
      const { task } = await create(connection, 'say 200');
      const open = { task_id: task.task_id, cursor: '0' };
      connection.send({ jsonrpc: '2.0', id: 's', method: 'events', params: open, token: bearer() });
      await connection.next(() => connection.frames.filter(({ id }) => id === 's').length === 64);
      // An answer comes behind everything that was sent before it.
      await connection.call('describe');
      assert.equal(connection.frames.filter(({ id }) => id === 's').length, 64);
      connection.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 's', events: 1000 } });
      const got = await items(connection, 's');
      assert.equal(got.at(-1)?.result !== undefined, true);
    });
    it('beyond what there can be close the connection', async () => {
      const connection = await rig.connect();
      const { task } = await create(connection, 'hold');
      const open = { task_id: task.task_id, cursor: '0' };
      connection.send({ jsonrpc: '2.0', id: 's', method: 'events', params: open, token: bearer() });
      connection.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 's', events: 2 ** 31 - 1 } });
      assert.equal(await connection.closed, 1008);
    });
  });

  it('ends a stream that is cancelled, and the task goes on', async () => {
    const connection = await rig.connect();
    const { task } = await create(connection, 'hold');
    const open = { task_id: task.task_id, cursor: '0' };
    connection.send({ jsonrpc: '2.0', id: 's', method: 'events', params: open, token: bearer() });
    await connection.next(({ id }) => id === 's');
    connection.send({ jsonrpc: '2.0', method: '$/cancelStream', params: { id: 's' } });
    const end = await connection.next(({ method }) => method === '$/streamEnd');
    assert.deepEqual(end.params, { id: 's', reason: 'cancelled' });
    // Of no stream, and of one that has ended: nothing.
    for (const id of ['s', 'none'])
      connection.send({ jsonrpc: '2.0', method: '$/cancelStream', params: { id } });
    rig.release();
    connection.send({ jsonrpc: '2.0', id: 's', method: 'events', params: open, token: bearer() });
    const again = await connection.next(({ params }) => (params as Json)?.reason === 'complete');
    assert.deepEqual(again.params, { id: 's', reason: 'complete' });
  });

  describe('refuses at the upgrade', () => {
    it('whoever is not authenticated, with one answer', async () => {
      const answers = [];
      for (const authorization of ['', 'Basic abc', `Bearer ${bearer({ expired: true } as never)}`])
        answers.push(await rig.refusal(undefined, authorization));
      assert.deepEqual(answers, Array(3).fill({ status: 401, challenge: 'Bearer' }));
    });
    it('another subprotocol, none, and another path', async () => {
      assert.equal((await rig.refusal(['oab.delegation.v2'])).status, 400);
      assert.equal((await rig.refusal([])).status, 400);
      assert.equal((await rig.refusal(undefined, undefined, '/other')).status, 404);
    });
  });

  describe('refuses in a connection', () => {
    it('a token that has expired, with an error and 4401', async () => {
      const connection = await rig.connect();
      const frame = await connection.call('describe', {}, bearer({ expired: true } as never));
      assert.deepEqual([(frame.error as Json).code, reasonOf(frame)], [-32603, 'UNAUTHENTICATED']);
      assert.equal(await connection.closed, 4401);
    });
    it('a request without a token, and one of another peer', async () => {
      const one = await rig.connect();
      one.send({ jsonrpc: '2.0', id: 1, method: 'describe' });
      assert.equal(reasonOf(await one.next()), 'UNAUTHENTICATED');
      assert.equal(await one.closed, 4401);
      const two = await rig.connect();
      assert.equal(reasonOf(await two.call('describe', {}, bearer({ peer: 'oab-c' }))), 'UNAUTHENTICATED');
    });
    for (const [what, frame, code, reason, id] of [
      ['no JSON', '{', -32700, 'PARSE_ERROR', null],
      [
        'two members of one name',
        '{"jsonrpc":"2.0","id":1,"id":2,"method":"describe"}',
        -32700,
        'PARSE_ERROR',
        null,
      ],
      ['a lone surrogate', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700, 'PARSE_ERROR', null],
      ['a list', '[]', -32600, 'INVALID_REQUEST', null],
      ['no id', { jsonrpc: '2.0', method: 'describe', token: bearer() }, -32600, 'INVALID_REQUEST', null],
      [
        'another version',
        { jsonrpc: '1.0', id: 1, method: 'describe', token: bearer() },
        -32600,
        'INVALID_REQUEST',
        1,
      ],
      [
        'another verb',
        { jsonrpc: '2.0', id: 1, method: 'SendMessage', token: bearer() },
        -32601,
        'METHOD_NOT_FOUND',
        1,
      ],
      [
        'a member more',
        { jsonrpc: '2.0', id: 1, method: 'describe', token: bearer(), x: 1 },
        -32602,
        'UNKNOWN_MEMBER',
        1,
      ],
      [
        'params that are a list',
        { jsonrpc: '2.0', id: 1, method: 'describe', params: [], token: bearer() },
        -32600,
        'INVALID_REQUEST',
        1,
      ],
      [
        'a parameter more',
        { jsonrpc: '2.0', id: 1, method: 'get', params: { task_id: 't', x: 1 }, token: bearer() },
        -32602,
        'UNKNOWN_MEMBER',
        1,
      ],
      [
        'an unknown task',
        { jsonrpc: '2.0', id: 1, method: 'get', params: { task_id: 't' }, token: bearer() },
        -32001,
        'TASK_NOT_FOUND',
        1,
      ],
      [
        'an unknown task whatever the cursor',
        { jsonrpc: '2.0', id: 1, method: 'events', params: { task_id: 't', cursor: '!' }, token: bearer() },
        -32001,
        'TASK_NOT_FOUND',
        1,
      ],
      [
        'no credit at all',
        { jsonrpc: '2.0', method: '$/credit', params: { id: 1, events: 0 } },
        -32600,
        'INVALID_REQUEST',
        null,
      ],
    ] as [string, unknown, number, string, number | null][]) {
      it(`${what}: ${reason}, and the connection goes on`, async () => {
        const connection = await rig.connect();
        connection.send(frame);
        const answer = await connection.next();
        assert.deepEqual([(answer.error as Json).code, reasonOf(answer), answer.id], [code, reason, id]);
        assert.equal(resultOf(await connection.call('describe')).peer, 'oab-b');
      });
    }
    it('a cursor of another task, and a foreign task as an unknown one', async () => {
      const connection = await rig.connect();
      const { task } = await create(connection, 'hold');
      const params = { task_id: task.task_id, cursor: 'nobody-issued-this' };
      assert.equal(reasonOf(await connection.call('events', params)), 'CURSOR_INVALID');
      const other = await rig.connect(undefined, `Bearer ${bearer({ peer: 'oab-c' })}`);
      const foreign = await other.call('get', { task_id: task.task_id }, bearer({ peer: 'oab-c' }));
      const unknown = await other.call('get', { task_id: 'task-none' }, bearer({ peer: 'oab-c' }));
      assert.deepEqual(foreign.error, unknown.error);
    });
    it('what a request has more than the profile knows, at any depth, and no task is made', async () => {
      const connection = await rig.connect();
      const { request } = requestOf({ task: 'say 1' });
      for (const strange of [
        { ...request, credential: 'x' },
        { ...request, budget: { ...request.budget, env: {} } },
      ]) {
        const answer = await connection.call('create', { request: strange });
        assert.equal(reasonOf(answer), 'UNKNOWN_MEMBER');
      }
      assert.equal(rig.opened.executor.running(), 0);
    });
    it('an id that is open: 1008', async () => {
      const connection = await rig.connect();
      const { task } = await create(connection, 'hold');
      const open = { task_id: task.task_id, cursor: '0' };
      for (let n = 0; n < 2; n += 1)
        connection.send({ jsonrpc: '2.0', id: 's', method: 'events', params: open, token: bearer() });
      assert.equal(await connection.closed, 1008);
    });
    it('more than 256 open ids: 1008', async () => {
      const connection = await rig.connect();
      const { task } = await create(connection, 'hold');
      const open = { task_id: task.task_id, cursor: '0' };
      for (let n = 0; n <= 256; n += 1)
        connection.send({ jsonrpc: '2.0', id: n, method: 'events', params: open, token: bearer() });
      assert.equal(await connection.closed, 1008);
    });
    it('a binary frame: 1008', async () => {
      const connection = await rig.connect();
      connection.ws.send(Buffer.from('{}'));
      assert.equal(await connection.closed, 1008);
    });
    it('a frame above maxFrameBytes: 1009', async () => {
      const connection = await rig.connect();
      connection.send(' '.repeat(4 * 1024 * 1024 + 1));
      assert.equal(await connection.closed, 1009);
    });
  });

  it('says that it drains: 4503', async () => {
    const connection = await rig.connect();
    rig.server.close();
    assert.equal(await connection.closed, 4503);
  });

  it('pings while nothing else is sent, and lets go of a side that is silent', async () => {
    const connection = await rig.connect();
    await once(connection.ws, 'ping');
    // Reads everything, and never says a word.
    const asked = httpRequest({
      port: rig.port,
      host: '127.0.0.1',
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol': SUBPROTOCOL,
        authorization: `Bearer ${bearer()}`,
      },
    });
    asked.end();
    const [, socket] = (await once(asked, 'upgrade')) as [unknown, Socket];
    socket.resume();
    await once(socket, 'close');
    assert.equal(resultOf(await connection.call('describe')).peer, 'oab-b');
  });
});
