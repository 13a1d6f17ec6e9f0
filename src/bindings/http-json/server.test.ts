import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { requestOf } from '../../executor/testing/harness.js';
import { messageFromRequest } from '../../profile/message.js';
import { EXT, KEY } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { type Answer, bearer, openRig, type Rig } from '../testing/rig.js';
import { errorOf } from './testing/error-of.js';

describe('the HTTP+JSON server', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  const send = async (path: string, more: Record<string, unknown> = {}, task = 'hello') => {
    const { request } = requestOf({ task, budget: { max_output_bytes: 100_000 } });
    const answer = await rig.ask({
      path,
      body: JSON.stringify({ message: messageFromRequest(request), ...more }),
      headers: { authorization: `Bearer ${bearer({ req: requestDigest(request) })}` },
    });
    return { request, answer };
  };
  const get = (path: string, headers: Record<string, string> = {}) =>
    rig.ask({ method: 'GET', path, headers });

  it('has every operation at its verb and path', async () => {
    const { answer } = await send('/message:send', { configuration: { returnImmediately: true } }, 'hold');
    assert.deepEqual(
      [answer.status, answer.headers['content-type'], answer.headers['a2a-extensions']],
      [200, 'application/a2a+json', EXT],
    );
    const { id } = answer.json.task as { id: string };
    assert.equal((await get(`/tasks/${id}?historyLength=0`)).json.id, id);
    const asked = await get(`/tasks/${id}`, { 'oab-cursor': '0' });
    assert.ok(
      ((asked.json.metadata as Record<string, { events: unknown[] }>)[KEY.events]?.events.length ?? 0) > 0,
    );
    assert.equal((await rig.ask({ path: `/tasks/${id}:cancel`, body: undefined })).json.id, id);
    rig.release();
    const streamed = await send('/message:stream');
    assert.equal(streamed.answer.headers['content-type'], 'text/event-stream');
    const items = streamed.answer.text
      .split('\n\n')
      .filter((block) => block.startsWith('data: '))
      .map((block) => JSON.parse(block.slice(6)) as Record<string, { status: { state: string } }>);
    assert.ok(items[0]?.task !== undefined);
    assert.equal(items.at(-1)?.statusUpdate?.status.state, 'TASK_STATE_COMPLETED');
    const blocking = await send('/message:send');
    assert.equal(
      (blocking.answer.json.task as { status: { state: string } }).status.state,
      'TASK_STATE_COMPLETED',
    );
    assert.ok((await get('/extendedAgentCard')).json.capabilities);
    for (const [method, path] of [
      ['POST', '/tasks/t/pushNotificationConfigs'],
      ['GET', '/tasks/t/pushNotificationConfigs'],
      ['GET', '/tasks/t/pushNotificationConfigs/p'],
      ['DELETE', '/tasks/t/pushNotificationConfigs/p'],
    ] as const) {
      const refused = await rig.ask({ method, path });
      assert.deepEqual(
        [refused.status, errorOf(refused)],
        [400, 'FAILED_PRECONDITION PUSH_NOTIFICATION_NOT_SUPPORTED'],
        `${method} ${path}`,
      );
    }
    // A word of routing that nobody here knows grants nothing and takes nothing away.
    assert.equal((await get(`/some-tenant/tasks/${id}`)).json.id, id);
    assert.equal((await get(`/tasks/${encodeURIComponent('a/b:c')}`)).status, 404);
  });

  it('lists by its query parameters, page by page', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { answer } = await send('/message:send');
      ids.push((answer.json.task as { id: string }).id);
    }
    const seen: string[] = [];
    let token = '';
    do {
      const { json } = await get(`/tasks?pageSize=2&pageToken=${encodeURIComponent(token)}`);
      const tasks = json.tasks as { id: string; artifacts?: unknown[] }[];
      assert.ok(tasks.every((task) => !('artifacts' in task)));
      assert.deepEqual([json.pageSize, json.totalSize], [2, 5]);
      seen.push(...tasks.map((task) => task.id));
      token = json.nextPageToken as string;
    } while (token !== '');
    assert.deepEqual(seen.sort(), ids.sort());
    const all = (query: string) =>
      get(`/tasks?${query}`).then(({ json }) => json.tasks as { artifacts?: [] }[]);
    assert.equal((await all('status=TASK_STATE_WORKING')).length, 0);
    assert.equal((await all('status=TASK_STATE_COMPLETED&includeArtifacts=true'))[0]?.artifacts?.length, 1);
    assert.equal((await all('contextId=none&whatever=ignored')).length, 0);
    assert.equal((await all('statusTimestampAfter=2100-01-01T00:00:00Z')).length, 0);
    for (const query of [
      'pageSize=-1',
      'pageSize=0',
      'pageSize=101',
      'historyLength=-1',
      'pageSize=true',
      'pageSize=1e1',
      'includeArtifacts=1',
      'status=DONE',
      'statusTimestampAfter=yesterday',
      'pageSize=1&pageSize=2',
    ]) {
      const refused = await get(`/tasks?${query}`);
      assert.deepEqual(
        [refused.status, errorOf(refused)],
        [400, 'INVALID_ARGUMENT INVALID_PARAMS MALFORMED'],
        query,
      );
    }
  });

  it('answers transient refusals with 503 and when to come again', async () => {
    await rig.opened.executor.drain();
    const { answer } = await send('/message:send');
    assert.deepEqual(
      [answer.status, errorOf(answer), answer.headers['retry-after']],
      [503, 'UNAVAILABLE INTERNAL_ERROR DRAINING', '1'],
    );
  });

  it('gives one answer for a task of nobody and of somebody else', async () => {
    const { answer } = await send('/message:send');
    const { id } = answer.json.task as { id: string };
    const other = { authorization: `Bearer ${bearer({ peer: 'oab-c' })}` };
    for (const [method, suffix] of [
      ['GET', ''],
      ['POST', ':cancel'],
      ['GET', ':subscribe'],
      ['POST', ':subscribe'],
    ] as const) {
      const [theirs, nobodys] = await Promise.all(
        [id, 'nobody'].map((one) => rig.ask({ method, path: `/tasks/${one}${suffix}`, headers: other })),
      );
      assert.equal(theirs?.status, 404);
      assert.equal(errorOf(theirs as Answer), 'NOT_FOUND TASK_NOT_FOUND');
      assert.equal(theirs?.text, nobodys?.text);
    }
  });

  for (const method of ['GET', 'POST'])
    it(`streams bare items to a subscribe by ${method}, uncompressed (OPEN-24), and beats while there is nothing to tell`, async () => {
      const { request, caller } = requestOf({ task: 'hold', budget: { max_output_bytes: 10_000 } });
      const { snapshot } = await rig.service.create(caller, request);
      const raw = httpRequest({
        port: rig.port,
        host: '127.0.0.1',
        method,
        path: `/tasks/${snapshot.row.taskId}:subscribe`,
        headers: {
          authorization: `Bearer ${bearer()}`,
          'a2a-version': '1.0',
          'a2a-extensions': EXT,
          'accept-encoding': 'gzip, deflate, br',
        },
      });
      raw.end();
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
      assert.ok(text.startsWith('data: {"task":'));
      raw.destroy();
    });
});
