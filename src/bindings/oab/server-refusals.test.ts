import assert from 'node:assert/strict';
import { requestOf } from '../../executor/testing/harness.js';
import { requestDigest } from '../../profile/request.js';
import { bearer, openRig, type RawConnection } from './testing/rig.js';

type Json = Record<string, unknown>;
const reasonOf = (frame: Json) => ((frame.error as Json)?.data as Json)?.reason;

describe('what the custom OAB protocol’s server refuses', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  let connection: RawConnection;
  beforeEach(async () => {
    rig = await openRig();
    connection = await rig.connect();
  });
  afterEach(() => rig.close());

  const audits = async () => {
    // Behind every row that is still being written.
    await rig.opened.journal.audit({ kind: 'start', at: 0, detail: {} });
    return rig.opened.journal.audits(0, 1000).filter(({ kind }) => kind === 'refused').length;
  };
  const rpc = (method: string, params: unknown, more: Json = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params,
    token: bearer(),
    ...more,
  });

  it('is in the audit, one row each, and no task is made', async () => {
    const { request } = requestOf({ task: 'say 1' });
    const long = 'x'.repeat(257);
    for (const [name, frame, reason] of [
      ['no JSON', '{', 'PARSE_ERROR'],
      ['a batch', [rpc('describe', {})], 'INVALID_REQUEST'],
      ['an id that is too long', rpc('describe', {}, { id: 'x'.repeat(65) }), 'INVALID_REQUEST'],
      ['an id with a space', rpc('describe', {}, { id: 'a b' }), 'INVALID_REQUEST'],
      ['an id that is no whole number', rpc('describe', {}, { id: 1.5 }), 'INVALID_REQUEST'],
      ['an id beyond what is safe', rpc('describe', {}, { id: 2 ** 53 }), 'PARSE_ERROR'],
      ['an id of null', rpc('describe', {}, { id: null }), 'INVALID_REQUEST'],
      ['nothing but an id', { jsonrpc: '2.0', id: 1 }, 'INVALID_REQUEST'],
      ['no verb', rpc('tasks/get', {}), 'METHOD_NOT_FOUND'],
      ['the name of a verb of every object', rpc('constructor', {}), 'METHOD_NOT_FOUND'],
      ['a verb in capitals', rpc('Describe', {}), 'METHOD_NOT_FOUND'],
      ['a control with an id', rpc('$/credit', { id: 1, events: 1 }), 'METHOD_NOT_FOUND'],
      ['no task id', rpc('get', {}), 'MALFORMED'],
      ['a task id that is no text', rpc('cancel', { task_id: 5 }), 'MALFORMED'],
      ['a task id that is too long', rpc('get', { task_id: long }), 'MALFORMED'],
      ['no cursor', rpc('events', { task_id: 't' }), 'MALFORMED'],
      ['no request', rpc('create', {}), 'MALFORMED'],
      ['a request that is a text', rpc('create', { request: 'do it' }), 'MALFORMED'],
      [
        'a request for another executor',
        rpc('create', { request: { ...request, target_peer: 'oab-x' } }),
        'WRONG_TARGET',
      ],
    ] as [string, unknown, string][]) {
      const before = await audits();
      connection.send(frame);
      assert.equal(reasonOf(await connection.next()), reason, name);
      assert.equal((await audits()) - before, 1, `${name}: audit rows`);
    }
    assert.equal(rig.opened.executor.running(), 0);
  });

  it('is every unknown member at every depth', async () => {
    const { request } = requestOf({ task: 'say 1' });
    const x = { x: 1 };
    const known: [string, Json][] = [
      ['describe', {}],
      ['create', { request }],
      ['get', { task_id: 't' }],
      ['events', { task_id: 't', cursor: '0' }],
      ['cancel', { task_id: 't' }],
    ];
    const frames = [
      ...known.map(([verb, params]) => rpc(verb, params, x)),
      ...known.map(([verb, params]) => rpc(verb, { ...params, ...x })),
      rpc('create', { request: { ...request, ...x } }),
      rpc('create', { request: { ...request, budget: { ...request.budget, ...x } } }),
      // In A2A's words it is none of ours either.
      rpc('get', { task_id: 't', metadata: {} }),
      rpc('get', { task_id: 't' }, { serviceParameters: {} }),
    ];
    for (const frame of frames) {
      connection.send(frame);
      const answer = await connection.next();
      assert.deepEqual([reasonOf(answer), answer.id], ['UNKNOWN_MEMBER', 1], JSON.stringify(frame));
    }
    // What has no id of its own is no request, and is answered to nobody.
    for (const frame of [
      { jsonrpc: '2.0', method: '$/credit', params: { id: 1, events: 1 }, ...x },
      { jsonrpc: '2.0', method: '$/credit', params: { id: 1, events: 1, ...x } },
      { jsonrpc: '2.0', method: '$/cancelStream', params: { id: 1 }, ...x },
      { jsonrpc: '2.0', method: '$/cancelStream', params: { id: 1, ...x } },
    ]) {
      connection.send(frame);
      const answer = await connection.next();
      assert.deepEqual([reasonOf(answer), answer.id], ['INVALID_REQUEST', null], JSON.stringify(frame));
    }
  });

  for (const [name, events] of [
    ['none', 0],
    ['less than none', -1],
    ['a part of one', 0.5],
    ['more than there can be', 2 ** 31],
    ['a text', '1'],
  ] as [string, unknown][])
    it(`is credit of ${name}`, async () => {
      connection.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 1, events } });
      assert.equal(reasonOf(await connection.next()), 'INVALID_REQUEST');
    });

  it('is a cursor of another task, one that was altered, and one that nobody issued: one answer', async () => {
    const made: Json[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { request } = requestOf({ task: 'hold' });
      const answer = await connection.call('create', { request }, bearer({ req: requestDigest(request) }));
      made.push(answer.result as Json);
    }
    const [one, two] = made as [Json, Json];
    const answers = [];
    for (const cursor of [two.cursor, `${one.cursor}x`, 'nobody', '1', '-1', '00'])
      answers.push((await connection.call('events', { task_id: one.task_id, cursor })).error);
    assert.equal(reasonOf({ error: answers[0] }), 'CURSOR_INVALID');
    assert.deepEqual(answers, Array(answers.length).fill(answers[0]));
  });

  it('is a foreign task as if there were none, for every verb and whatever the cursor', async () => {
    const { request } = requestOf({ task: 'hold' });
    const made = (await connection.call('create', { request }, bearer({ req: requestDigest(request) })))
      .result as Json;
    const token = bearer({ peer: 'oab-c' });
    const other = await rig.connect(undefined, `Bearer ${token}`);
    for (const [verb, more] of [
      ['get', {}],
      ['cancel', {}],
      ['events', { cursor: '0' }],
      ['events', { cursor: made.cursor }],
      ['events', { cursor: 'nobody' }],
    ] as [string, Json][]) {
      const foreign = await other.call(verb, { task_id: made.task_id, ...more }, token);
      const unknown = await other.call(verb, { task_id: 'task-none', ...more }, token);
      assert.deepEqual([reasonOf(foreign), foreign.error], ['TASK_NOT_FOUND', unknown.error], verb);
    }
    const mine = await connection.call('get', { task_id: made.task_id });
    assert.equal((mine.result as Json).cancel_requested_at, undefined);
  });
});
