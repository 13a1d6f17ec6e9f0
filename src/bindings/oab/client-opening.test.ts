/** What a coordinator makes of a peer that breaks the protocol: a disconnect or a refusal, and never an outcome. */
import assert from 'node:assert/strict';
import { NotNegotiated, PeerRefusal } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { hostileServers, signal } from './testing/hostile.js';
import { DESCRIPTION, TASK } from './testing/raw-server.js';

type Json = Record<string, unknown>;

describe('the custom OAB protocol’s client, towards a peer that is not as it should be', () => {
  const { open, answering, heard, unreachable } = hostileServers();
  const { request } = requestOf({ task: 'x' });

  it('reads an honest one', async () => {
    const { peer } = await open({});
    assert.equal((await peer.create(request, { signal: signal() })).task.id, TASK);
    assert.deepEqual(await heard(peer), { sequences: [1, 2, 3, 4, 5], ended: true, end: undefined });
  });

  it('is told at once where nobody listens', async () => {
    const { server, peer } = await open({});
    await server.close();
    await unreachable(peer.describe({ signal: signal() }), /ECONNREFUSED/);
    await peer.close();
    await unreachable(peer.describe({ signal: signal() }), /given up/);
  });

  describe('at the upgrade', () => {
    for (const [name, subprotocol] of [
      ['none', undefined],
      ['another', 'oab.a2a.v1'],
      ['one of another version', 'oab.delegation.v2'],
    ] as const) {
      it(`sends nothing to one that chooses ${name} of our subprotocols`, async () => {
        const { server, peer } = await open({ subprotocol });
        await assert.rejects(peer.create(request, { signal: signal() }), NotNegotiated);
        await Promise.all(server.closed);
        assert.deepEqual(server.requests, []);
      });
    }

    it('is refused by 401, and takes any other answer for none', async () => {
      const refused = await open({ status: 401 });
      await assert.rejects(
        refused.peer.describe({ signal: signal() }),
        (error) => error instanceof PeerRefusal && error.reason === 'UNAUTHENTICATED' && !error.transient,
      );
      for (const status of [200, 302, 400, 404, 426, 503]) {
        const { peer } = await open({ status });
        await unreachable(peer.describe({ signal: signal() }), new RegExp(`HTTP ${status}`));
      }
    });
  });

  describe('at its description', () => {
    const { params } = DESCRIPTION as { params: Json };
    for (const [name, described] of [
      ['another protocol version', { ...DESCRIPTION, protocol_version: 2 }],
      ['no protocol version', { ...DESCRIPTION, protocol_version: undefined }],
      ['another peer', { ...DESCRIPTION, peer: 'oab-c' }],
      ['a delegation depth that no version has', { ...DESCRIPTION, params: { ...params, maxDepth: 2 } }],
      [
        'a window that its own deadline outlasts',
        { ...DESCRIPTION, params: { ...params, idempotency: { windowSeconds: 60 } } },
      ],
      ['a text', 'hello'],
    ] as const) {
      it(`sends no task to one that says ${name}`, async () => {
        const { server, peer } = await answering('describe', ({ id }, say) =>
          say.frame({ jsonrpc: '2.0', id, result: described }),
        );
        await assert.rejects(peer.create(request, { signal: signal() }), NotNegotiated);
        assert.deepEqual(
          server.requests.map(({ method }) => method),
          ['describe'],
        );
      });
    }
  });
});
