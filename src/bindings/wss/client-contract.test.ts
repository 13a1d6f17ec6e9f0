/** What a coordinator makes of a peer that breaks the binding: a disconnect or a refusal, and never an outcome. */
import assert from 'node:assert/strict';
import { NotNegotiated, type PeerConnection, PeerRefusal } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { EXT } from '../../profile/names.js';
import { hostileServers, signal } from '../websocket/testing/hostile.js';
import { connectWss } from './client.js';
import { card, ECHO, item, openRawServer, streamEnd, TASK, TOLD } from './testing/raw-server.js';

type Json = Record<string, unknown>;

describe('the WSS client, towards a peer that is not as it should be', () => {
  const { open, answering, telling, heard, unreachable, brokenOff } = hostileServers({
    open: openRawServer,
    connect: connectWss,
    observe: {
      method: 'SubscribeToTask',
      first: (id) => ({ jsonrpc: '2.0', id, result: { task: TOLD }, serviceParameters: ECHO }),
    },
    task: TASK,
  });
  const { request } = requestOf({ task: 'x' });
  const create = (peer: PeerConnection) => peer.create(request, { signal: signal() });

  it('reads an honest one, and tells it version, extension and token with each request', async () => {
    const { server, peer } = await open({});
    assert.equal((await create(peer)).task.id, TASK);
    assert.deepEqual(await heard(peer), { sequences: [0, 3, 4, 5], ended: true, end: undefined });
    await peer.get(TASK, 'c1', { signal: signal() });
    const said = { 'A2A-Version': '1.0', 'A2A-Extensions': EXT, Authorization: 'Bearer token' };
    assert.deepEqual(
      server.requests.map(({ serviceParameters }) => serviceParameters),
      [said, said, { ...said, 'OAB-Cursor': 'c1' }],
    );
  });

  describe('at its card and its upgrade', () => {
    for (const [name, other] of [
      [
        'no such interface',
        { ...card(), supportedInterfaces: [{ url: 'http://oab-b.lab/', protocolBinding: 'JSONRPC' }] },
      ],
      ['the interface at another host (OPEN-33)', card('ws://evil.test/oab-b.lab/')],
      ['the interface at another port (OPEN-33)', card('ws://oab-b.lab:81/')],
      ['the interface behind a user name (OPEN-33)', card('ws://oab-b.lab@evil.test/')],
      ['an interface that is no WebSocket', card('http://oab-b.lab/')],
      ['no profile', { ...card(), capabilities: {} }],
    ] as [string, Json][])
      it(`sends no frame and no token to one whose card has ${name}`, async () => {
        const asked: unknown[] = [];
        const { server, peer } = await open(
          { card: other },
          {
            credentials: () => {
              asked.push(1);
              return 'token';
            },
          },
        );
        await assert.rejects(create(peer), NotNegotiated);
        assert.deepEqual([server.requests, server.open.length, asked], [[], 0, []]);
      });

    for (const [name, subprotocol] of [
      ['none', undefined],
      ['the other', 'oab.delegation.v1'],
    ] as const)
      it(`sends nothing to one that chooses ${name} of our subprotocols`, async () => {
        const { server, peer } = await open({ subprotocol });
        await assert.rejects(create(peer), NotNegotiated);
        await Promise.all(server.closed);
        assert.deepEqual(server.requests, []);
      });

    it('is refused by 401, and takes any other answer for none', async () => {
      const refused = await open({ status: 401 });
      await assert.rejects(
        create(refused.peer),
        (error) => error instanceof PeerRefusal && error.reason === 'UNAUTHENTICATED' && !error.transient,
      );
      for (const status of [200, 302, 404, 503])
        await unreachable(create((await open({ status })).peer), new RegExp(`HTTP ${status}`));
    });
  });

  describe('in an answer', () => {
    for (const [name, answer, why] of [
      [
        'the id of nobody',
        (id: number) => ({ jsonrpc: '2.0', id: id + 100, result: {} }),
        /nothing that was asked/,
      ],
      [
        'the id as a text',
        (id: number) => ({ jsonrpc: '2.0', id: `${id}`, result: {} }),
        /nothing that was asked/,
      ],
      ['no version', (id: number) => ({ id, result: {} }), /no server sends: jsonrpc/],
      [
        'both a result and an error',
        (id: number) => ({ jsonrpc: '2.0', id, result: {}, error: { code: 1, message: 'x' } }),
        /no server sends/,
      ],
      ['a member more', (id: number) => ({ jsonrpc: '2.0', id, result: {}, more: 1 }), /no server sends/],
      ['the end of a stream', (id: number) => streamEnd(id, 'complete'), /a stream that was not asked for/],
      [
        'a member twice',
        (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`,
        /refused as JSON/,
      ],
      [
        'an error for nobody',
        () => ({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } }),
        /could not read/,
      ],
      [
        'a Task that is none',
        (id: number) => ({ jsonrpc: '2.0', id, result: { task: { id: 1 } }, serviceParameters: ECHO }),
        /no Task/,
      ],
    ] as [string, (id: number) => Json | string, RegExp][])
      it(`concludes nothing from ${name}`, async () => {
        const { peer } = await answering('SendMessage', ({ id }, say) => say.frame(answer(id)));
        await unreachable(create(peer), why);
      });

    it('takes one without the echo and the metadata for not negotiated', async () => {
      const { metadata: _, ...bare } = TOLD;
      const { peer } = await answering('SendMessage', ({ id }, say) =>
        say.frame({ jsonrpc: '2.0', id, result: { task: bare } }),
      );
      await assert.rejects(create(peer), NotNegotiated);
    });

    it('leaves one that sends a binary frame, or one above its own limit', async () => {
      const binary = await answering('SendMessage', (_, say) => say.bytes(Buffer.from('{}')));
      await unreachable(create(binary.peer), /a binary frame/);
      await binary.server.closed[0];
      const big = await answering('SendMessage', ({ id }, say) =>
        say.frame({ jsonrpc: '2.0', id, result: { more: 'x'.repeat(4_194_304) } }),
      );
      await unreachable(create(big.peer), /above maxFrameBytes \(4194304\)/);
      await big.server.closed[0];
    });

    it('tells what may be sent again from what may not, by oabReason', async () => {
      for (const [oabReason, code, transient] of [
        ['SATURATED', -32603, true],
        ['DRAINING', -32603, true],
        ['CONFLICT', -32602, false],
      ] as const) {
        const metadata = { oabReason, ...(transient && { retryAfterMs: '70' }) };
        const { peer } = await answering('SendMessage', ({ id }, say) =>
          say.frame({
            jsonrpc: '2.0',
            id,
            error: { code, message: 'x', data: [{ reason: 'ANY', metadata }] },
          }),
        );
        await assert.rejects(create(peer), (error) => {
          assert.ok(error instanceof PeerRefusal);
          assert.deepEqual(
            [error.reason, error.code, error.transient, error.retryAfterMs],
            [oabReason, code, transient, transient ? 70 : undefined],
          );
          return true;
        });
      }
    });

    for (const code of [1008, 1009, 4503])
      it(`takes a close with ${code} for a disconnect, and opens another connection`, async () => {
        let first = true;
        const { server, peer } = await open({
          take(_, say) {
            if (!first) return false;
            first = false;
            say.close(code);
            return true;
          },
        });
        await unreachable(create(peer), new RegExp(String(code)));
        assert.equal((await create(peer)).task.id, TASK);
        assert.equal(server.open.length, 2);
      });
  });

  describe('in a stream', () => {
    for (const [name, frames, why, connections] of [
      ['an item that is no event', [item(3), { message: {} }], /neither a Task nor an event/, 2],
      [
        'an end for a reason that none is',
        [item(3), (id: number) => streamEnd(id, 'done')],
        /no server sends/,
        2,
      ],
      [
        'an error in mid-stream, which is of that stream alone,',
        [item(3), (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32001, message: 'x' } })],
        /broke off: TASK_NOT_FOUND/,
        1,
      ],
    ] as [string, (Json | string | ((id: number) => Json))[], RegExp, number][])
      it(`takes ${name} for a disconnect, and can be asked again`, async () => {
        const { server, peer } = await telling(...frames);
        brokenOff(await heard(peer), [0, 3], why);
        assert.equal((await peer.get(TASK, undefined, { signal: signal() })).task.id, TASK);
        assert.equal(server.open.length, connections);
      });

    it('takes items behind its end for the end of the connection', async () => {
      const { server, peer } = await telling(item(5), 'complete', item(6));
      assert.deepEqual(await heard(peer), { sequences: [0, 5], ended: true, end: undefined });
      await server.closed[0];
      assert.equal((await peer.get(TASK, undefined, { signal: signal() })).task.id, TASK);
      assert.equal(server.open.length, 2);
    });

    it('takes an end before the terminal event for a disconnect, whatever it is called', async () => {
      for (const reason of ['interrupted', 'cancelled', 'complete']) {
        const { peer } = await telling(item(3), reason);
        assert.deepEqual(await heard(peer), { sequences: [0, 3], ended: false, end: undefined });
      }
    });

    it('notices a silent link by 2.5 heartbeats', async () => {
      const { server, peer } = await answering('SubscribeToTask', ({ id }, say) => {
        say.frame({ jsonrpc: '2.0', id, result: { task: TOLD }, serviceParameters: ECHO });
        // Nothing is read or written from here on, pings included.
        server.open[0]?.pause();
      });
      const { sequences, end } = await heard(peer);
      assert.deepEqual(sequences, [0]);
      assert.match(String(end), /2\.5 heartbeats/);
    });
  });
});
