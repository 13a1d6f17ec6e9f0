/** What a coordinator makes of a peer that breaks the protocol: a disconnect or a refusal, and never an outcome. */
import assert from 'node:assert/strict';
import { PeerRefusal } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { hostileServers, signal } from './testing/hostile.js';
import { streamEnd, TASK, TOLD } from './testing/raw-server.js';

type Json = Record<string, unknown>;

describe('the custom OAB protocol’s client, towards a peer that is not as it should be', () => {
  const { open, answering, unreachable } = hostileServers();
  const { request } = requestOf({ task: 'x' });

  describe('in an answer', () => {
    const answers: [string, (id: number) => Json | string, RegExp][] = [
      [
        'the id of nobody',
        (id) => ({ jsonrpc: '2.0', id: id + 100, result: TOLD }),
        /nothing that was asked/,
      ],
      [
        'the same id as a text',
        (id) => ({ jsonrpc: '2.0', id: String(id), result: TOLD }),
        /nothing that was asked/,
      ],
      ['no id', () => ({ jsonrpc: '2.0', result: TOLD }), /no server sends: id/],
      ['no version', (id) => ({ id, result: TOLD }), /no server sends: jsonrpc/],
      [
        'both a result and an error',
        (id) => ({
          jsonrpc: '2.0',
          id,
          result: TOLD,
          error: { code: -32602, message: 'x', data: { reason: 'STALE' } },
        }),
        /no server sends/,
      ],
      ['neither of them', (id) => ({ jsonrpc: '2.0', id }), /no server sends: result/],
      ['a member more', (id) => ({ jsonrpc: '2.0', id, result: TOLD, more: 1 }), /no server sends/],
      [
        'an error without a reason',
        (id) => ({ jsonrpc: '2.0', id, error: { code: -32602, message: 'x' } }),
        /error\.data/,
      ],
      [
        'an error for nobody',
        () => ({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32700, message: 'x', data: { reason: 'PARSE_ERROR' } },
        }),
        /PARSE_ERROR/,
      ],
      ['the end of a stream', (id) => streamEnd(id, 'complete'), /a stream that was not asked for/],
      [
        'a request of its own',
        (id) => ({ jsonrpc: '2.0', id, method: 'get', params: {} }),
        /no server sends/,
      ],
      ['a member twice', (id) => `{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`, /refused as JSON/],
      ['no JSON', () => 'no', /refused as JSON/],
      [
        'a task without a head',
        (id) => ({ jsonrpc: '2.0', id, result: { ...TOLD, head: undefined } }),
        /no task: head/,
      ],
      [
        'a state that no task has',
        (id) => ({ jsonrpc: '2.0', id, result: { ...TOLD, status: { state: 'DONE', timestamp: 'x' } } }),
        /no task: status/,
      ],
    ];
    for (const [name, answer, why] of answers) {
      it(`leaves one that gives ${name}`, async () => {
        const { server, peer } = await answering('create', ({ id }, say) => say.frame(answer(id)));
        await unreachable(peer.create(request, { signal: signal() }), why);
        await server.closed[0];
      });
    }

    it('leaves one that answers twice, and keeps what the first answer said', async () => {
      const { server, peer } = await answering('create', ({ id }, say) => {
        say.frame({ jsonrpc: '2.0', id, result: TOLD });
        say.frame({ jsonrpc: '2.0', id, result: TOLD });
      });
      assert.equal((await peer.create(request, { signal: signal() })).task.id, TASK);
      await server.closed[0];
    });

    it('leaves one that sends a binary frame', async () => {
      const { server, peer } = await answering('create', ({ id }, say) =>
        say.bytes(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: TOLD }))),
      );
      await unreachable(peer.create(request, { signal: signal() }), /a binary frame/);
      await server.closed[0];
    });

    it('leaves one that sends a frame above its own limit', async () => {
      const { server, peer } = await answering('create', ({ id }, say) =>
        say.frame({ jsonrpc: '2.0', id, result: { ...TOLD, more: 'x'.repeat(4_194_304) } }),
      );
      await unreachable(peer.create(request, { signal: signal() }), /above maxFrameBytes \(4194304\)/);
      await server.closed[0];
    });

    it('passes over an answer that came too late, and takes the next', async () => {
      let late = () => {};
      const { server, peer } = await open(
        {
          take({ id, method }, say) {
            if (method !== 'get' || server.requests.some((one) => one.method === 'cancel')) return false;
            late = () => say.frame({ jsonrpc: '2.0', id, result: TOLD });
            return true;
          },
        },
        { timeoutMs: 300 },
      );
      await unreachable(peer.get(TASK, undefined, { signal: signal() }), /no answer in time/);
      late();
      assert.equal((await peer.cancel(TASK, { signal: signal() })).task.id, TASK);
      assert.equal(server.open.length, 1);
    });

    it('tells what may be sent again from what may not', async () => {
      for (const [reason, code, transient] of [
        ['SATURATED', -32603, true],
        ['DRAINING', -32603, true],
        ['STORE_UNAVAILABLE', -32603, true],
        ['CONFLICT', -32602, false],
        ['INTERNAL', -32603, false],
      ] as const) {
        const { peer } = await answering('create', ({ id }, say) =>
          say.frame({
            jsonrpc: '2.0',
            id,
            error: { code, message: 'x', data: { reason, ...(transient && { retry_after_ms: 70 }) } },
          }),
        );
        await assert.rejects(peer.create(request, { signal: signal() }), (error) => {
          assert.ok(error instanceof PeerRefusal);
          assert.deepEqual(
            [error.reason, error.code, error.transient, error.retryAfterMs],
            [reason, code, transient, transient ? 70 : undefined],
          );
          return true;
        });
      }
    });

    for (const code of [1008, 1009, 4503])
      it(`takes a close with ${code} for a disconnect`, async () => {
        const { peer } = await answering('create', (_, say) => say.close(code));
        await unreachable(peer.create(request, { signal: signal() }), new RegExp(String(code)));
      });
  });
});
