import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { EXT } from '../../profile/names.js';
import { openLab } from '../lab/lab.js';
import type { Lab } from '../lab/ports.js';
import { httpJsonProbe } from './http-json-probe.js';
import { Identity } from './identity.js';
import type { Probe } from './probe.js';
import { wireRequest } from './request.js';

describe('the HTTP+JSON probe', () => {
  let lab: Lab;
  let asked: string[];
  beforeEach(async () => {
    lab = await openLab({ caseId: 'http-json-probe', seed: '1' });
    asked = [];
  });
  afterEach(() => lab.close());

  const open = async (status: number, text: string, type = 'application/a2a+json'): Promise<Probe> => {
    const authority = await lab.authority();
    const tls = await authority.issue('server', { dns: ['oab-b.lab'] });
    const keys = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    const server = createServer(keys, (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(status, { 'content-type': type, 'A2A-Extensions': EXT }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    lab.onClose('the server', () => void server.close());
    const file = join(lab.folder, 'gate.jwks');
    writeKeyFile(file, [newKey(Date.now() - 60_000)], 'private');
    const { port } = server.address() as AddressInfo;
    const subject = { ca: readFileSync(authority.ca, 'utf8'), servername: 'oab-b.lab' };
    const identity = new Identity('gate', 'oab-b', file);
    return httpJsonProbe(identity, 'https://oab-b.lab/', () => ({ host: '127.0.0.1', port }), { subject });
  };
  const errorText = (code: number, status: string, reason: string, metadata?: Record<string, string>) =>
    JSON.stringify({ error: { code, status, details: [{ reason, ...(metadata && { metadata }) }] } });

  it('has a Task out of either answer, and every operation at its verb and path', async () => {
    const bare = await open(200, '{"id":"t","status":{}}');
    assert.deepEqual((await bare.get('a/b')).result, { id: 't', status: {} });
    const wrapped = await open(200, '{"task":{"id":"t"}}');
    const request = wireRequest('oab-b', 'x');
    const made = await wrapped.create(request);
    assert.deepEqual([made.result, made.echoed, made.status], [{ id: 't' }, true, 200]);
    asked = [];
    for (const { call } of wrapped.operations('t', request)) await call({});
    assert.deepEqual(asked, [
      'POST /message:send',
      'POST /message:stream',
      'GET /tasks/t',
      'GET /tasks',
      'POST /tasks/t:cancel',
      'POST /tasks/t:subscribe',
      'POST /tasks/t/pushNotificationConfigs',
      'GET /tasks/t/pushNotificationConfigs/p',
      'GET /tasks/t/pushNotificationConfigs',
      'DELETE /tasks/t/pushNotificationConfigs/p',
      'GET /extendedAgentCard',
    ]);
  });

  it('knows an error by its reason, if status, code and name say the same', async () => {
    for (const [status, text, expected] of [
      [404, errorText(404, 'NOT_FOUND', 'TASK_NOT_FOUND'), [-32001, 'TASK_NOT_FOUND', undefined]],
      [
        503,
        errorText(503, 'UNAVAILABLE', 'INTERNAL_ERROR', { oabReason: 'DRAINING', retryAfterMs: '70' }),
        [-32603, 'DRAINING', 70],
      ],
      // What a stock client would take for another error is none of A2A's.
      [200, errorText(404, 'NOT_FOUND', 'TASK_NOT_FOUND'), [200, 'TASK_NOT_FOUND', undefined]],
      [400, errorText(400, 'NOT_FOUND', 'TASK_NOT_FOUND'), [400, 'TASK_NOT_FOUND', undefined]],
      [404, errorText(404, 'INVALID_ARGUMENT', 'TASK_NOT_FOUND'), [404, 'TASK_NOT_FOUND', undefined]],
      [503, errorText(500, 'UNAVAILABLE', 'INTERNAL_ERROR'), [503, 'INTERNAL_ERROR', undefined]],
    ] as const) {
      const { error, result } = await (await open(status, text)).get('t');
      assert.equal(result, undefined);
      assert.deepEqual([error?.code, error?.reason, error?.retryAfterMs], expected, text);
    }
    const none = await (await open(502, '<html>')).get('t');
    assert.deepEqual([none.result, none.error], [undefined, undefined]);
  });

  it('has the items of a stream as they are, and the refusal in place of one', async () => {
    const item = {
      statusUpdate: { taskId: 't', metadata: { [`${EXT}/event`]: { sequence: 2, cursor: 'c' } } },
    };
    const streaming = await open(200, `data: ${JSON.stringify(item)}\n\n:\n\n`, 'text/event-stream');
    const session = streaming.subscribe('t');
    assert.equal(await session.ended, 'fin');
    assert.deepEqual(
      session.frames.map(({ kind, sequence, json }) => [kind, sequence, json]),
      [['status', 2, item]],
    );
    assert.deepEqual([session.heartbeats(), session.strange()], [1, []]);
    assert.deepEqual(asked, ['GET /tasks/t:subscribe']);
    const refusing = await open(400, errorText(400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'));
    assert.equal((await refusing.subscribe('t').refusal)?.error?.code, -32004);
  });
});
