import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { openRig, type Rig } from '../testing/rig.js';
import { errorOf } from './testing/error-of.js';

describe('the HTTP+JSON server, to what is no request', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  it('refuses in the order of the profile, as google.rpc.Status, and one audit row each', async () => {
    const body = '{}';
    const at =
      (path: string, more: Parameters<Rig['ask']>[0] = {}) =>
      () =>
        rig.ask({ path, body, ...more });
    const told: string[] = [];
    const without = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '']));
    for (const [name, ask, status, error] of [
      [
        'no credential before anything',
        at('/nothing', { body: '{', headers: without('authorization', 'a2a-version', 'a2a-extensions') }),
        401,
        'UNAUTHENTICATED INTERNAL_ERROR UNAUTHENTICATED',
      ],
      [
        'no version',
        at('/tasks/t:cancel', { headers: without('a2a-version') }),
        400,
        'FAILED_PRECONDITION VERSION_NOT_SUPPORTED',
      ],
      [
        'another version, before negotiation',
        at('/tasks/t:cancel', { headers: { 'a2a-version': '0.3', 'a2a-extensions': '' } }),
        400,
        'FAILED_PRECONDITION VERSION_NOT_SUPPORTED',
      ],
      [
        'not negotiated, before the path is looked at',
        at('/nothing', { headers: without('a2a-extensions') }),
        400,
        'FAILED_PRECONDITION EXTENSION_SUPPORT_REQUIRED NOT_NEGOTIATED',
      ],
      ['no such path', at('/nothing'), 404, 'NOT_FOUND METHOD_NOT_FOUND'],
      ['a path of another version', at('/v1/message:send:x'), 404, 'NOT_FOUND METHOD_NOT_FOUND'],
      ['a path that is no URL', at('//'), 404, 'NOT_FOUND METHOD_NOT_FOUND'],
      ['no such verb', at('/message:send', { method: 'PUT' }), 405, 'UNIMPLEMENTED METHOD_NOT_FOUND'],
      [
        'no such verb of a task',
        at('/tasks/t', { method: 'DELETE', body: undefined }),
        405,
        'UNIMPLEMENTED METHOD_NOT_FOUND',
      ],
      ['no JSON', at('/message:send', { body: '{' }), 400, 'INVALID_ARGUMENT INVALID_PARAMS MALFORMED'],
      [
        'no UTF-8',
        at('/message:send', { body: Buffer.from([0x22, 0xff, 0x22]) }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      ['no object', at('/message:send', { body: '[]' }), 400, 'INVALID_ARGUMENT INVALID_PARAMS MALFORMED'],
      [
        'a duplicate member',
        at('/tasks/t:cancel', { body: '{"id":"t","id":"t"}' }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      [
        'two ids',
        at('/tasks/t:cancel', { body: '{"id":"u"}' }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      [
        'an id that is not encoded',
        at('/tasks/%ff:cancel'),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      [
        'a long id',
        at(`/tasks/${'i'.repeat(300)}`, { method: 'GET', body: undefined }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      [
        'metadata on a cancel',
        at('/tasks/t:cancel', { body: '{"metadata":{"token":"x"}}' }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS UNKNOWN_MEMBER',
      ],
      ['no message', at('/message:send'), 400, 'INVALID_ARGUMENT INVALID_PARAMS MALFORMED'],
      [
        'no text',
        at('/message:send', { headers: { 'content-type': 'image/png' } }),
        400,
        'INVALID_ARGUMENT CONTENT_TYPE_NOT_SUPPORTED',
      ],
      [
        'a body beyond the limit',
        at('/message:send', { body: Buffer.alloc(600_000, 0x20) }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      [
        'a body beyond the limit of no announced length',
        at('/message:send', {
          body: Buffer.alloc(600_000, 0x20),
          headers: { 'transfer-encoding': 'chunked' },
        }),
        400,
        'INVALID_ARGUMENT INVALID_PARAMS MALFORMED',
      ],
      [
        'a packed body',
        at('/message:send', { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }),
        400,
        'INVALID_ARGUMENT CONTENT_TYPE_NOT_SUPPORTED',
      ],
    ] as const) {
      const before = (await rig.refusals()).length;
      const answer = await ask();
      told.push(String((answer.json?.error as { message?: string } | undefined)?.message ?? ''));
      assert.deepEqual([answer.status, errorOf(answer)], [status, error], name);
      assert.equal(answer.headers['content-type'], 'application/a2a+json', name);
      assert.equal((await rig.refusals()).length - before, 1, `${name}: audit rows`);
    }
    const wrong = await rig.ask({ path: '/tasks/t:subscribe', method: 'DELETE' });
    assert.equal(wrong.headers.allow, 'GET, POST');
    const where = (await rig.refusals()).map(({ detail }) =>
      String((detail as { where?: string }).where ?? ''),
    );
    // What is told to the caller of its bytes is what the audit says of them.
    for (const named of [
      /^a body above 458752 bytes$/,
      /^a content coding/,
      /^a content type/,
      /^not JSON$/,
      /^not UTF-8$/,
      /^a duplicate member$/,
    ]) {
      const found = where.find((one) => named.test(one));
      assert.ok(found !== undefined, `the audit does not name ${named}: ${where.join(', ')}`);
      assert.ok(
        told.some((text) => text.endsWith(`: ${found}.`)),
        `the caller is not told: ${found}`,
      );
    }
  });
});
