import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { requestOf } from '../../executor/testing/harness.js';
import { messageFromRequest } from '../../profile/message.js';
import { EXT } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { type Answer, bearer, openRig, type Rig } from '../testing/rig.js';

describe('the JSON-RPC server', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  const post = (body: string | Buffer, headers?: Record<string, string>) =>
    rig.ask({ body, ...(headers && { headers }) });
  const call = (method: string, params: unknown, headers?: Record<string, string>) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }), headers);
  const errorOf = ({ json }: Answer) => {
    const { code, data } = (json.error ?? {}) as {
      code?: number;
      data?: { metadata?: { oabReason?: string } }[];
    };
    return `${code ?? ''} ${data?.[0]?.metadata?.oabReason ?? ''}`.trim();
  };

  it('refuses in the order of the profile, with its codes, and one audit row each', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'GetTask', params: { id: 't' } });
    for (const [name, send, status, error] of [
      [
        'no credential before anything',
        () => post('{', { authorization: '', 'a2a-version': '', 'a2a-extensions': '' }),
        401,
        '-32603 UNAUTHENTICATED',
      ],
      ['no version', () => post(body, { 'a2a-version': '' }), 200, '-32009'],
      [
        'another version, before negotiation',
        () => post(body, { 'a2a-version': '0.3', 'a2a-extensions': '' }),
        200,
        '-32009',
      ],
      [
        'not negotiated, before parsing',
        () => post('{', { 'a2a-extensions': '' }),
        200,
        '-32008 NOT_NEGOTIATED',
      ],
      ['no JSON', () => post('{'), 200, '-32700'],
      ['no UTF-8', () => post(Buffer.from([0xff])), 200, '-32700'],
      ['a batch', () => post(`[${body}]`), 200, '-32600'],
      ['no id', () => post('{"jsonrpc":"2.0","method":"GetTask","params":{}}'), 200, '-32600'],
      [
        'another version of JSON-RPC',
        () => post('{"jsonrpc":"1.0","id":1,"method":"GetTask"}'),
        200,
        '-32600',
      ],
      ['no such method', () => call('tasks/get', {}), 200, '-32601'],
      [
        'a duplicate member',
        () => post('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a","id":"b"}}'),
        200,
        '-32602 MALFORMED',
      ],
      ['no task id', () => call('GetTask', {}), 200, '-32602 MALFORMED'],
      [
        'metadata on a cancel',
        () => call('CancelTask', { id: 't', metadata: { token: 'x' } }),
        200,
        '-32602 UNKNOWN_MEMBER',
      ],
      ['no message', () => call('SendMessage', {}), 200, '-32602 MALFORMED'],
      ['a body beyond the limit', () => post(Buffer.alloc(600_000, 0x20)), 200, '-32602 MALFORMED'],
      ['a packed body', () => post(body, { 'content-encoding': 'gzip' }), 200, '-32005'],
    ] as const) {
      const before = (await rig.refusals()).length;
      const answer = await send();
      assert.deepEqual([answer.status, errorOf(answer)], [status, error], name);
      assert.equal((await rig.refusals()).length - before, 1, `${name}: audit rows`);
    }
    assert.equal((await call('GetTask', {})).json.id, 0, 'id 0 is echoed');
    for (const method of [
      'CreateTaskPushNotificationConfig',
      'GetTaskPushNotificationConfig',
      'ListTaskPushNotificationConfigs',
      'DeleteTaskPushNotificationConfig',
    ]) {
      assert.equal(errorOf(await call(method, { taskId: 't', id: 'p' })), '-32003', method);
    }
    assert.ok(((await call('GetExtendedAgentCard', {})).json.result as { name: string }).name);
  });

  it('answers transient refusals with 503 and when to come again', async () => {
    await rig.opened.executor.drain();
    const { request } = requestOf();
    const answer = await call(
      'SendMessage',
      { message: messageFromRequest(request) },
      { authorization: `Bearer ${bearer({ req: requestDigest(request) })}` },
    );
    assert.deepEqual(
      [answer.status, errorOf(answer), answer.headers['retry-after']],
      [503, '-32603 DRAINING', '1'],
    );
  });

  it('streams envelopes, uncompressed (OPEN-24), and beats while there is nothing to tell', async () => {
    const { request, caller } = requestOf({ task: 'hold', budget: { max_output_bytes: 10_000 } });
    const { snapshot } = await rig.service.create(caller, request);
    const { taskId } = snapshot.row;
    const raw = httpRequest({
      port: rig.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/',
      headers: {
        authorization: `Bearer ${bearer()}`,
        'a2a-version': '1.0',
        'a2a-extensions': EXT,
        'accept-encoding': 'gzip, deflate, br',
      },
    });
    raw.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: taskId } }));
    const [response] = (await once(raw, 'response')) as [IncomingMessage];
    const { headers } = response;
    assert.deepEqual(
      ['a2a-extensions', 'content-type', 'x-accel-buffering', 'cache-control', 'content-encoding'].map(
        (name) => headers[name],
      ),
      [EXT, 'text/event-stream', 'no', 'no-cache, no-transform', undefined],
    );
    let text = '';
    for await (const chunk of response) {
      text += String(chunk);
      if (text.includes('\n\n:\n\n')) break;
    }
    assert.ok(text.startsWith('data: {"jsonrpc":"2.0","id":1,"result":{"task":'));
    raw.destroy();
  });
});
