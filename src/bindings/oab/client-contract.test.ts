/** What a coordinator makes of a peer that breaks the protocol: a disconnect or a refusal, and never an outcome. */
import assert from 'node:assert/strict';
import {
  NotNegotiated,
  type PeerConnection,
  PeerRefusal,
  PeerUnreachable,
  type RemoteFrame,
} from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { isTerminal } from '../../profile/lifecycle.js';
import { KEY } from '../../profile/names.js';
import { connectOab, type OabClientOptions } from './client.js';
import {
  DESCRIPTION,
  gap,
  item,
  openRawServer,
  type RawRequest,
  type Say,
  streamEnd,
  TASK,
  TOLD,
} from './testing/raw-server.js';

type Json = Record<string, unknown>;
const signal = () => AbortSignal.timeout(10_000);

describe('the custom OAB protocol’s client, towards a peer that is not as it should be', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const open = async (
    behaviour: Parameters<typeof openRawServer>[0],
    more: Partial<OabClientOptions> = {},
  ) => {
    const server = await openRawServer(behaviour);
    closing.push(server.close);
    const peer = connectOab({
      peer: 'oab-b',
      url: 'http://oab-b.lab/',
      connect: `127.0.0.1:${server.port}`,
      insecureLoopback: true,
      timeoutMs: 5000,
      credentials: () => 'token',
      ...more,
    });
    closing.push(() => peer.close());
    return { server, peer };
  };
  /** A server that answers this verb so, and is honest otherwise. */
  const answering = (verb: string, take: (request: RawRequest, say: Say) => void) =>
    open({
      take(request, say) {
        if (request.method !== verb) return false;
        take(request, say);
        return true;
      },
    });
  /** A server that tells its events so. */
  const telling = (...frames: (Json | string | ((id: number) => Json))[]) =>
    answering('events', ({ id }, say) => {
      for (const frame of frames) {
        if (typeof frame === 'function') say.frame(frame(id));
        else if (typeof frame === 'string') say.frame(streamEnd(id, frame));
        else say.frame({ jsonrpc: '2.0', id, result: frame });
      }
    });
  const items = (...sequences: number[]) => sequences.map((sequence) => item(sequence));

  /** What was heard of a stream: sequences, and what ended it. */
  const heard = async (peer: PeerConnection, from?: { cursor: string; sequence: number }) => {
    const frames: RemoteFrame[] = [];
    let end: unknown;
    try {
      for await (const frame of peer.observe(TASK, { signal: signal(), ...(from && { from }) }))
        frames.push(frame);
    } catch (error) {
      end = error;
    }
    const sequences = frames.map((frame) =>
      'event' in frame ? frame.position.sequence : 'floor' in frame ? -frame.floor.sequence : 0,
    );
    const ended = frames.some(
      (frame) =>
        'event' in frame &&
        'statusUpdate' in frame.event &&
        isTerminal(frame.event.statusUpdate.status.state),
    );
    return { sequences, ended, end };
  };
  const unreachable = async (asked: Promise<unknown>, why: RegExp) => {
    const error = await asked.then(
      () => assert.fail('it was believed'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof PeerUnreachable, String(error));
    assert.match(error.message, why);
  };
  const brokenOff = (
    { sequences, ended, end }: Awaited<ReturnType<typeof heard>>,
    expected: number[],
    why: RegExp,
  ) => {
    assert.deepEqual([sequences, ended], [expected, false]);
    assert.ok(end instanceof PeerUnreachable, String(end));
    assert.match(end.message, why);
  };
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
      await unreachable(peer.create(request, { signal: signal() }), /maxFrameBytes/);
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

  describe('in a stream', () => {
    it('leaves one that sends an item of a stream that nobody asked for', async () => {
      const { server, peer } = await answering('create', ({ id }, say) => {
        say.frame({ jsonrpc: '2.0', id: id + 1, result: item(1) });
        say.frame({ jsonrpc: '2.0', id, result: TOLD });
      });
      await unreachable(peer.create(request, { signal: signal() }), /nothing that was asked/);
      await server.closed[0];
    });

    const streams: [string, (Json | string | ((id: number) => Json))[], number[], RegExp][] = [
      ['an item twice', items(1, 2, 2, 3), [1, 2], /event 2 in the place of event 3/],
      ['items in another order', items(1, 3, 2), [1], /event 3 in the place of event 2/],
      ['a hole', items(1, 2, 5), [1, 2], /event 5 in the place of event 3/],
      ['a beginning elsewhere', items(2, 3), [], /event 2 in the place of event 1/],
      ['a gap in mid-stream', [item(1), gap(3), item(4)], [1], /a gap in mid-stream/],
      ['two gaps', [gap(2), gap(3), item(4)], [-2], /a gap in mid-stream/],
      ['a gap with an event in it', [{ ...gap(2), event: item(3) }, item(3)], [], /no gap/],
      ['a gap and not what follows it', [gap(2), item(4)], [-2], /event 4 in the place of event 3/],
      ['an event of another task', [strange({ taskId: 't-2' })], [], /another task/],
      [
        'an event that brings its own result',
        [strange({ metadata: { [KEY.result]: { status: 'completed' } } })],
        [],
        /as the chain hashes it/,
      ],
      ['an item that is no event', [{ ...item(1), event: { task: TOLD } }], [], /no event/],
      ['an item with a member more', [{ ...item(1), more: 1 }], [], /no event/],
      ['a cursor that none is', [{ ...item(1), cursor: 'a,b' }], [], /no event: cursor/],
      [
        'an end that is called complete and has no terminal event',
        [...items(1, 2), 'complete'],
        [1, 2],
        /complete/,
      ],
      ['an end for a reason that none is', [item(1), 'finished'], [1], /no server sends/],
      [
        'an end of another stream',
        [item(1), (id) => streamEnd(id + 7, 'complete')],
        [1],
        /nothing that was asked/,
      ],
      [
        'an error in mid-stream',
        [item(1), (id) => failure(id, 'TASK_NOT_FOUND')],
        [1],
        /broke off: TASK_NOT_FOUND/,
      ],
    ];
    for (const [name, frames, expected, why] of streams) {
      it(`takes ${name} for a disconnect`, async () => {
        const { peer } = await telling(...frames);
        brokenOff(await heard(peer), expected, why);
        // Of that nothing is concluded, and the next reading begins where the reader stands.
        assert.equal((await peer.get(TASK, undefined, { signal: signal() })).task.id, TASK);
      });
    }

    it('takes an end before the terminal event for a disconnect, whatever it is called', async () => {
      for (const reason of ['interrupted', 'cancelled']) {
        const { peer } = await telling(...items(1, 2), reason);
        assert.deepEqual(await heard(peer), { sequences: [1, 2], ended: false, end: undefined });
      }
      const { peer } = await telling('complete');
      assert.deepEqual(await heard(peer), { sequences: [], ended: false, end: undefined });
    });

    describe('that it reads a log again from', () => {
      const reading = (state: string, sequences: number[], end: string) =>
        open({
          take({ id, method }, say) {
            const result = (json: Json) => say.frame({ jsonrpc: '2.0', id, result: json });
            if (method === 'get') {
              const status = { ...(TOLD.status as Json), state: `TASK_STATE_${state}` };
              result({ ...TOLD, status, sequence: 5, cursor: 'c5' });
            } else if (method === 'events') {
              for (const one of items(...sequences)) result(one);
              say.frame(streamEnd(id, end));
            } else return false;
            return true;
          },
        });
      for (const state of ['WORKING', 'COMPLETED']) {
        it(`takes an end before its time for no end of the log (${state})`, async () => {
          for (const end of ['interrupted', 'cancelled']) {
            const { peer } = await reading(state, [1, 2], end);
            await unreachable(peer.get(TASK, '0', { signal: signal() }), /not read to its end/);
          }
        });
      }
      it('has it whole with the terminal event, whatever the end is called', async () => {
        for (const end of ['complete', 'interrupted']) {
          const { peer } = await reading('COMPLETED', [1, 2, 3, 4, 5], end);
          const { page } = await peer.get(TASK, '0', { signal: signal() });
          assert.deepEqual([page?.events.length, page?.next, page?.complete], [5, '', true]);
        }
      });
    });

    it('hears of nothing behind the terminal event', async () => {
      const { server, peer } = await telling(...items(1, 2, 3, 4, 5), item(6, 'WORKING'));
      const { sequences, end } = await heard(peer);
      assert.deepEqual(sequences, [1, 2, 3, 4, 5]);
      assert.match(String(end), /behind the terminal event/);
      await server.closed[0];
    });

    it('says where it stands, and takes a gap for what it is from there', async () => {
      const { server, peer } = await telling(gap(3), ...items(4, 5), 'complete');
      const { sequences, ended } = await heard(peer, { cursor: 'c1', sequence: 1 });
      assert.deepEqual([sequences, ended], [[-3, 4, 5], true]);
      assert.deepEqual(server.requests.at(-1)?.params, { task_id: TASK, cursor: 'c1' });
      const further = await heard(peer, { cursor: 'c4', sequence: 4 });
      brokenOff(further, [], /a gap that is none/);
    });

    it('leaves one that sends more than there is credit for', async () => {
      const { server, peer } = await answering('events', ({ id }, say) => {
        for (let sequence = 1; sequence <= 65; sequence += 1)
          say.frame({ jsonrpc: '2.0', id, result: item(sequence, 'WORKING') });
      });
      // It reads the first and then nothing more for as long as the connection lives.
      const reading = peer.observe(TASK, { signal: signal() })[Symbol.asyncIterator]();
      await reading.next();
      await server.closed[0];
      const rest = async () => {
        for (;;) if ((await reading.next()).done === true) return;
      };
      await unreachable(rest(), /credits/);
    });

    it('gives credit as it reads, and no more', async () => {
      const most = 200;
      let credit = 64;
      const { server, peer } = await answering('events', ({ id }, say) => {
        let sent = 0;
        const more = () => {
          for (; credit > 0 && sent < most; credit -= 1) {
            sent += 1;
            say.frame({ jsonrpc: '2.0', id, result: item(sent, sent === most ? 'COMPLETED' : 'WORKING') });
          }
          if (sent === most) say.frame(streamEnd(id, 'complete'));
        };
        server.open[0]?.on('message', (data) => {
          const frame = JSON.parse(String(data)) as { method: string; params: { events: number } };
          if (frame.method !== '$/credit') return;
          credit += frame.params.events;
          assert.ok(credit <= 64, `${credit} credits`);
          more();
        });
        more();
      });
      const { sequences, ended } = await heard(peer);
      assert.deepEqual([sequences.length, ended], [most, true]);
    });

    it('notices a silent link by 2.5 heartbeats', async () => {
      const { server, peer } = await answering('events', ({ id }, say) => {
        say.frame({ jsonrpc: '2.0', id, result: item(1) });
        // Nothing is read or written from here on, pings included.
        server.open[0]?.pause();
      });
      brokenOff(await heard(peer), [1], /2\.5 heartbeats/);
    });
  });
});

function strange(more: Json): Json {
  const one = item(1) as { event: { statusUpdate: Json } };
  return { ...one, event: { statusUpdate: { ...one.event.statusUpdate, ...more } } };
}

const failure = (id: number, reason: string): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32001, message: 'x', data: { reason } },
});
