import assert from 'node:assert/strict';
import { CONFIG, requestOf } from '../../executor/testing/harness.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { messageFromRequest } from '../../profile/message.js';
import { CURSOR_PARAMETER, EXT, KEY, WSS_BINDING } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { bearer, NEGOTIATED, openRig, type RawConnection } from './testing/rig.js';

type Json = Record<string, unknown>;
const ECHO = { 'A2A-Extensions': EXT };
const OPERATIONS = [
  ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'],
  ...['CreateTaskPushNotificationConfig', 'GetTaskPushNotificationConfig'],
  ...['ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig', 'GetExtendedAgentCard'],
];

const sending = (task: string) => {
  const { request } = requestOf({ task, budget: { max_output_bytes: 1024 * 1024 } });
  const params = { message: messageFromRequest(request), configuration: { returnImmediately: true } };
  return { request, params, token: bearer({ req: requestDigest(request) }) };
};
const errorOf = (frame: Json) => frame.error as { code: number; message: string; data?: Json[] };
const reasonOf = (frame: Json) => errorOf(frame)?.data?.[0]?.reason;
const oabReasonOf = (frame: Json) => (errorOf(frame)?.data?.[0]?.metadata as Json | undefined)?.oabReason;
const taskOf = (frame: Json) => (frame.result as { task: Json }).task;

describe('the A2A binding over WebSocket', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  let connection: RawConnection;
  beforeEach(async () => {
    rig = await openRig();
    connection = await rig.connect();
  });
  afterEach(() => rig.close());

  const create = async (task: string) => {
    const { request, params, token } = sending(task);
    const answer = await connection.call('SendMessage', params, token);
    return { request, answer, id: String(taskOf(answer).id) };
  };
  const subscribe = (id: string, taskId: string, more: Json = {}) =>
    connection.send({
      jsonrpc: '2.0',
      id,
      method: 'SubscribeToTask',
      params: { id: taskId },
      serviceParameters: { ...NEGOTIATED, Authorization: `Bearer ${bearer()}`, ...more },
    });
  const itemsOf = (id: string) => connection.frames.filter((frame) => frame.id === id);
  const ended = (id: string) =>
    connection.next(({ method, params }) => method === '$/streamEnd' && (params as Json).id === id);
  const asked = (serviceParameters: unknown, more: Json = {}) => {
    connection.send({
      jsonrpc: '2.0',
      id: 'x',
      method: 'GetTask',
      params: { id: 'none' },
      serviceParameters,
      ...more,
    });
    return connection.next(({ id }) => id === 'x');
  };
  const authorization = { Authorization: `Bearer ${bearer()}` };

  it('answers all eleven operations, push with its own error, and echoes the extension (A2A 12.1)', async () => {
    const { id } = await create('say 1');
    for (const method of OPERATIONS) {
      const { params, token } = sending('say 1');
      const answer = await connection.call(
        method,
        method.startsWith('Send') ? params : { id, taskId: id },
        method.startsWith('Send') ? token : bearer(),
      );
      assert.deepEqual(answer.serviceParameters, ECHO, method);
      if (method.includes('Push')) assert.equal(reasonOf(answer), 'PUSH_NOTIFICATION_NOT_SUPPORTED');
      else if (answer.error !== undefined)
        assert.ok(
          ['TASK_NOT_CANCELABLE', 'UNSUPPORTED_OPERATION'].includes(String(reasonOf(answer))),
          method,
        );
      else assert.equal(typeof answer.result, 'object', method);
    }
  });

  it('streams the Task and then every event to the signed end, byte for byte as the chain has them', async () => {
    const { request, params, token } = sending('say 200');
    connection.send({
      jsonrpc: '2.0',
      id: 's',
      method: 'SendStreamingMessage',
      params,
      serviceParameters: { ...NEGOTIATED, Authorization: `Bearer ${token}` },
    });
    const more = () =>
      connection.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 's', events: 1000 } });
    await connection.next(({ id }) => id === 's');
    more();
    assert.deepEqual((await ended('s')).params, { id: 's', reason: 'complete' });
    const [first, ...events] = itemsOf('s');
    assert.deepEqual(first?.serviceParameters, ECHO);
    assert.ok(events.every(({ serviceParameters }) => serviceParameters === undefined));
    const task = taskOf(first as Json);
    const at = (task.metadata as Record<string, { head: never; sequence: number }>)[KEY.event];
    let head = at?.head ?? firstHead(String(task.id), requestDigest(request));
    for (const { result } of events) head = headAfter(head, result as never);
    const { result } = await connection.call('GetTask', { id: task.id });
    const metadata = (result as Json).metadata as Record<string, { event_log: { head: string } }>;
    assert.equal(metadata[KEY.result]?.event_log.head, head);
    assert.ok(events.length > 200);
  });

  it('holds no more than 64 events back from who gives no credit, and other calls are answered meanwhile (B-05)', async () => {
    const { id } = await create('hold 300');
    subscribe('s', id);
    await connection.next((frame) => frame.id === 's');
    rig.release();
    await rig.opened.journal.wake(id, 200, AbortSignal.timeout(10_000));
    await connection.call('GetTask', { id });
    await connection.call('GetTask', { id });
    const before = itemsOf('s').length;
    assert.ok(before <= 64, `${before} items without credit`);
    connection.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 's', events: 1000 } });
    assert.deepEqual((await ended('s')).params, { id: 's', reason: 'complete' });
    assert.ok(itemsOf('s').length > 300);
  });

  it('ends a reading that is given up, and not the task; a subscribe to one that ended is refused', async () => {
    const { id } = await create('hold');
    subscribe('s', id);
    await connection.next((frame) => frame.id === 's');
    connection.send({ jsonrpc: '2.0', method: '$/cancelStream', params: { id: 's' } });
    assert.deepEqual((await ended('s')).params, { id: 's', reason: 'cancelled' });
    rig.release();
    await rig.opened.journal.wake(id, 3, AbortSignal.timeout(10_000));
    const { params, token } = sending('say 1');
    await connection.call('SendMessage', { ...params, configuration: {} }, token);
    subscribe('again', id);
    const refused = await connection.next((frame) => frame.id === 'again');
    // It may still be running: then this is its Task.
    if (refused.error !== undefined) assert.equal(reasonOf(refused), 'UNSUPPORTED_OPERATION');
  });

  it('keeps the service parameters of interleaved requests apart (A2A 3.2.6; B-04)', async () => {
    const { id } = await create('say 3');
    const ask = (name: string, serviceParameters: Json) =>
      connection.send({
        jsonrpc: '2.0',
        id: name,
        method: 'GetTask',
        params: { id },
        serviceParameters: { ...serviceParameters, ...authorization },
      });
    ask('with', { ...NEGOTIATED, [CURSOR_PARAMETER]: '0' });
    ask('without', { 'A2A-Version': '1.0' });
    ask('old', { ...NEGOTIATED, 'A2A-Version': '0.3' });
    ask('none', {});
    ask('lower', { 'a2a-version': '1.0', 'a2a-extensions': `x, ${EXT}` });
    const answers: Record<string, Json> = {};
    for (let n = 0; n < 5; n += 1) {
      const answer = await connection.next();
      answers[String(answer.id)] = answer;
    }
    const whole = (answers.with as Json).result as { metadata: Json };
    assert.ok(whole.metadata[KEY.events]);
    assert.equal(oabReasonOf(answers.without as Json), 'NOT_NEGOTIATED');
    assert.equal(answers.without?.serviceParameters, undefined);
    assert.equal(errorOf(answers.old as Json).code, -32009);
    assert.equal(errorOf(answers.none as Json).code, -32009);
    assert.deepEqual(answers.lower?.serviceParameters, ECHO);
    const lower = (answers.lower as Json).result as { metadata: Json };
    assert.equal(lower.metadata[KEY.events], undefined);
  });

  it('lists itself on the card under its URI, and shows there and here the tasks of the other binding (A2A 5.1)', async () => {
    const card = (await (await fetch(`http://127.0.0.1:${rig.port}/.well-known/agent-card.json`)).json()) as {
      supportedInterfaces: Json[];
    };
    assert.deepEqual(card.supportedInterfaces[0], {
      url: 'ws://oab-b.lab/',
      protocolBinding: WSS_BINDING,
      protocolVersion: '1.0',
    });
    const rpc = async (method: string, params: unknown, token = bearer()) => {
      const response = await fetch(`http://127.0.0.1:${rig.port}/`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          ...NEGOTIATED,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return (await response.json()) as Json;
    };
    const here = await create('say 3');
    const { params, token } = sending('say 3');
    const there = String(taskOf(await rpc('SendMessage', params, token)).id);
    for (const id of [here.id, there]) {
      await rig.opened.journal.wake(id, 5, AbortSignal.timeout(10_000));
      const blocked = sending('say 1');
      await connection.call('SendMessage', { ...blocked.params, configuration: {} }, blocked.token);
      const one = await connection.call('GetTask', { id });
      const other = await rpc('GetTask', { id });
      assert.deepEqual(one.result, other.result);
    }
    const listed = (frame: Json) => (frame.result as { tasks: Json[] }).tasks.map(({ id }) => id);
    assert.deepEqual(listed(await connection.call('ListTasks', {})), listed(await rpc('ListTasks', {})));
    assert.deepEqual(
      errorOf(await connection.call('GetTask', { id: 'none' })),
      errorOf(await rpc('GetTask', { id: 'none' })),
    );
  });

  describe('refuses', () => {
    for (const [name, more, code] of [
      ['an unknown method', { method: 'DoAnything' }, -32601],
      ['params that are no object', { params: [] }, -32602],
      ['a member more', { tenant: 'x' }, -32602],
      ['no method', { method: undefined }, -32600],
      ['a version that is none', { jsonrpc: '1.0' }, -32600],
    ] as const)
      it(`${name}, with its code, and goes on`, async () => {
        assert.equal(errorOf(await asked({ ...NEGOTIATED, ...authorization }, more)).code, code);
        assert.equal(reasonOf(await asked({ ...NEGOTIATED, ...authorization })), 'TASK_NOT_FOUND');
      });

    it('what is no JSON, and members twice, under no id, and goes on', async () => {
      for (const [text, code] of [
        ['{', -32700],
        ['[]', -32600],
        ['{"jsonrpc":"2.0","id":1,"id":2}', -32602],
      ] as const) {
        connection.send(text);
        assert.equal(errorOf(await connection.next(({ id }) => id === null)).code, code);
      }
      assert.equal(reasonOf(await asked({ ...NEGOTIATED, ...authorization })), 'TASK_NOT_FOUND');
    });

    for (const [name, parameters] of [
      ['whose values are no texts', { 'A2A-Version': 1 }],
      ['with a line break in them', { 'X-Any': 'a\r\nb' }],
      ['twice, in two spellings', { ...NEGOTIATED, 'a2a-version': '1.0' }],
      ['beyond 8192 characters', { 'X-Any': 'x'.repeat(8193) }],
      ['more than 32', Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`X-${n}`, 'y']))],
    ] as const)
      it(`service parameters ${name}, whoever sends them`, async () => {
        assert.equal(oabReasonOf(await asked({ ...authorization, ...parameters })), 'MALFORMED');
        assert.equal(oabReasonOf(await asked({ ...parameters })), 'UNAUTHENTICATED');
        assert.equal(await connection.closed, 4401);
      });
    it('service parameters of another kind: nobody can be known by them', async () => {
      assert.equal(oabReasonOf(await asked('x')), 'UNAUTHENTICATED');
      assert.equal(await connection.closed, 4401);
    });

    it('who does not authenticate, before version and negotiation, with a challenge and 4401; the task goes on', async () => {
      const { id } = await create('hold');
      subscribe('s', id);
      await connection.next((frame) => frame.id === 's');
      const answer = await asked({ Authorization: `Bearer ${bearer({ expired: true })}` });
      assert.equal(oabReasonOf(answer), 'UNAUTHENTICATED');
      assert.equal(errorOf(answer).code, -32603);
      assert.deepEqual(answer.serviceParameters, { 'WWW-Authenticate': 'Bearer' });
      assert.equal(await connection.closed, 4401);
      connection = await rig.connect();
      const { result } = await connection.call('GetTask', { id });
      assert.match(String(((result as Json).status as Json).state), /^TASK_STATE_(SUBMITTED|WORKING)$/);
      const other = await rig.connect();
      const foreign = bearer({ peer: 'oab-c' });
      assert.equal(oabReasonOf(await other.call('GetTask', { id }, foreign)), 'UNAUTHENTICATED');
      assert.equal(await other.closed, 4401);
    });

    it('an upgrade without a token, or for a subprotocol that is not served', async () => {
      assert.deepEqual(await rig.refusal(undefined, 'Basic x'), { status: 401, challenge: 'Bearer' });
      assert.equal((await rig.refusal(['a2a.v1'])).status, 400);
      assert.equal((await rig.refusal(['oab.delegation.v1'])).status, 400);
    });

    it('who asks too often, and says when to come again', async () => {
      await rig.close();
      rig = await openRig({ limits: { ...CONFIG.limits, rate: 0.001 } });
      connection = await rig.connect();
      const seen = new Set<unknown>();
      for (let n = 0; n < 8; n += 1) {
        const answer = await connection.call('GetTask', { id: 'none' });
        seen.add(oabReasonOf(answer) ?? reasonOf(answer));
      }
      assert.deepEqual([...seen], ['TASK_NOT_FOUND', 'SATURATED']);
    });
  });
});
