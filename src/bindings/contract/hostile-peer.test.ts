/** What a coordinator makes of an A2A peer that is not as it should be: a refusal or a disconnect by name, never an outcome. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import {
  NotNegotiated,
  type PeerConnection,
  PeerRefusal,
  PeerUnreachable,
} from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { EXT } from '../../profile/names.js';
import { connectHttpJson } from '../http-json/client.js';
import { connectJsonRpc } from '../jsonrpc/client.js';
import {
  eventAt,
  type HttpBinding,
  openHostile,
  type Said,
  TASK,
  taskAt,
  WORDS,
} from '../testing/hostile.js';
import { URL_ } from '../testing/rig.js';

const CONNECT = { JSONRPC: connectJsonRpc, 'HTTP+JSON': connectHttpJson };
const MAX_FRAME = 4_194_304;
const signal = () => AbortSignal.timeout(10_000);

for (const binding of Object.keys(WORDS) as HttpBinding[]) {
  describe(`a connection over ${binding}, to a peer that is not as it should be`, () => {
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });

    const open = async (
      ...how: Parameters<typeof openHostile> extends [unknown, ...infer Rest] ? Rest : never
    ) => {
      const server = await openHostile(binding, ...how);
      const peer = CONNECT[binding]({
        url: URL_,
        connect: server.connect,
        insecureLoopback: true,
        timeoutMs: 5000,
        credentials: () => 'token',
      });
      closing.push(server.close, () => peer.close());
      return { server, peer };
    };
    const on = (operation: string, act: (said: Said) => void) =>
      open((asked, said) => {
        if (asked !== operation) return false;
        act(said);
        return true;
      });
    /** Positions heard of a stream, and what ended it. */
    const heard = async (peer: PeerConnection) => {
      const places: number[] = [];
      let end: unknown;
      try {
        for await (const frame of peer.observe(TASK, { signal: signal() }))
          places.push(
            'event' in frame
              ? frame.position.sequence
              : 'task' in frame
                ? -(frame.task.position?.sequence ?? 0)
                : 0,
          );
      } catch (error) {
        end = error;
      }
      return { places, end };
    };
    /** It is a disconnect, of which nothing is concluded: the same connection goes on. */
    const brokenOff = async (peer: PeerConnection, expected: number[], why: RegExp) => {
      const { places, end } = await heard(peer);
      // What was under way when the connection broke may be lost with it.
      assert.deepEqual(places, expected.slice(0, places.length));
      assert.ok(end instanceof PeerUnreachable, String(end));
      assert.match(end.message, why);
      assert.equal((await peer.get(TASK, undefined, { signal: signal() })).task.id, TASK);
    };
    const { request } = requestOf({ task: 'x' });

    it('reads an honest one', async () => {
      const { peer } = await open(() => false);
      assert.equal((await peer.create(request, { signal: signal() })).task.id, TASK);
      assert.deepEqual(await heard(peer), { places: [-2, 3, 4], end: undefined });
    });

    it('sends nothing, no token either, to a card without the extension or of another origin (OPEN-33)', async () => {
      for (const change of [
        (text: string) => text.replaceAll(EXT, 'https://example.invalid/other'),
        (text: string) => text.replace('"required":true', '"required":false'),
        ...[
          'http://evil.invalid/',
          'http://oab-b.lab@evil.invalid/',
          'http://oab-b.lab:81/',
          '//',
          'no url',
        ].map((url) => (text: string) => text.replace(`"url":"${URL_}"`, `"url":${JSON.stringify(url)}`)),
      ]) {
        const { server, peer } = await open(
          () => false,
          (card) => JSON.parse(change(JSON.stringify(card))),
        );
        await assert.rejects(peer.create(request, { signal: signal() }), NotNegotiated);
        assert.deepEqual(server.asked, ['card']);
      }
    });

    it('believes no answer that is none', async () => {
      for (const [name, act, why] of [
        ['no JSON', ({ whole }) => whole('<html>', 200, 'text/html'), /not JSON/],
        ['nothing', ({ whole }) => whole(''), /not JSON/],
        ['a member twice', ({ whole }) => whole('{"error":{},"error":{}}'), /duplicate member/],
        ['no Task', ({ whole, words, id }) => whole(words.result({ task: { id: 1 } }, id)), /no Task/],
        ['a redirect', ({ whole }) => whole('{}', 302), /HTTP 302/],
        ['a hop’s own error', ({ whole }) => whole('{"error":{"code":502}}', 502), /HTTP 502/],
        [
          'more than maxFrameBytes',
          ({ whole, words, id }) =>
            whole(words.result({ task: { ...taskAt(1), more: 'x'.repeat(MAX_FRAME) } }, id)),
          /above 4194304 bytes/,
        ],
        [
          'a packed answer',
          ({ response, words, id }) =>
            response
              .writeHead(200, { 'content-type': words.type, 'content-encoding': 'gzip' })
              .end(gzipSync(words.result({ task: taskAt(1) }, id))),
          /not JSON/,
        ],
        [
          'half an answer',
          ({ response }) =>
            response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
          /./,
        ],
      ] satisfies [string, (said: Said) => unknown, RegExp][]) {
        const { peer } = await on('create', act);
        await assert.rejects(peer.create(request, { signal: signal() }), (error) => {
          assert.ok(error instanceof PeerUnreachable, `${name}: ${error}`);
          assert.match(error.message, why, name);
          return true;
        });
      }
    });

    it('takes no answer outside the profile for one', async () => {
      const { peer } = await on('create', ({ response, words, id }) =>
        response
          .writeHead(200, { 'content-type': words.type })
          .end(words.result({ task: { ...taskAt(1), metadata: {} } }, id)),
      );
      await assert.rejects(
        peer.create(request, { signal: signal() }),
        (error) => error instanceof NotNegotiated && error.taskId === TASK,
      );
    });

    it('tells what may be sent again from what may not', async () => {
      for (const [reason, a2a, transient] of [
        ['SATURATED', 'INTERNAL_ERROR', true],
        ['CONFLICT', 'INVALID_PARAMS', false],
        ['TASK_NOT_FOUND', 'TASK_NOT_FOUND', false],
      ] as const) {
        const { peer } = await on('create', ({ words, id, whole }) => {
          const metadata = { oabReason: reason, ...(transient && { retryAfterMs: '70' }) };
          const { status, text } = words.refusal(a2a, id, reason === a2a ? undefined : metadata);
          whole(text, status);
        });
        await assert.rejects(peer.create(request, { signal: signal() }), (error) => {
          assert.ok(error instanceof PeerRefusal, String(error));
          assert.deepEqual(
            [error.reason, error.transient, error.retryAfterMs],
            [reason, transient, transient ? 70 : undefined],
          );
          return true;
        });
      }
      const { peer } = await on('create', ({ whole }) => whole('{}', 401));
      await assert.rejects(
        peer.create(request, { signal: signal() }),
        (error) => error instanceof PeerRefusal && error.reason === 'UNAUTHENTICATED',
      );
    });

    it('takes no error in place of a stream for an empty success (OPEN-19)', async () => {
      const refusing = await on('observe', ({ words, id, whole }) => {
        const { status, text } = words.refusal('UNSUPPORTED_OPERATION', id);
        whole(text, status);
      });
      const { end } = await heard(refusing.peer);
      assert.equal((end as PeerRefusal).reason, 'UNSUPPORTED_OPERATION');
      const first = await on('observe', ({ words, id, stream, response }) => {
        stream();
        response.end(`data: ${words.refusal('TASK_NOT_FOUND', id).text}\n\n`);
      });
      assert.equal(((await heard(first.peer)).end as PeerRefusal).reason, 'TASK_NOT_FOUND');
      for (const [text, type] of [
        ['{}', 'application/json'],
        ['<html>', 'text/html'],
      ] as const) {
        const { peer } = await on('observe', ({ whole }) => whole(text, 200, type));
        await brokenOff(peer, [], /./);
      }
      const unbegun = await on('observe', ({ words, id, whole }) => whole(words.result({}, id)));
      await brokenOff(unbegun.peer, [], /no event stream/);
    });

    const streams: [string, (said: Said, write: (item: unknown) => void) => void, number[], RegExp][] = [
      ['an item that is neither', (_, write) => write({ message: {} }), [-2], /neither a Task nor an event/],
      [
        'an error',
        ({ words, id, response }) => response.write(`data: ${words.refusal('TASK_NOT_FOUND', id).text}\n\n`),
        [-2],
        /broke off: TASK_NOT_FOUND/,
      ],
      ['no JSON', ({ response }) => response.write('data: {\n\n'), [-2], /not JSON/],
      ['no UTF-8', ({ response }) => response.write(Buffer.from([0x64, 0xff, 0x0a])), [-2], /./],
      [
        'an event above maxFrameBytes',
        ({ response }) => response.write(`data: ${'x'.repeat(MAX_FRAME + 10)}\n\n`),
        [-2],
        /above maxFrameBytes \(4194304\)/,
      ],
      [
        'an event that never ends',
        ({ response }) => response.write('x'.repeat(MAX_FRAME + 10)),
        [-2],
        /above maxFrameBytes \(4194304\)/,
      ],
      [
        'data that never end',
        ({ response }) => response.write(`data: ${'x'.repeat(1000)}\n`.repeat(4300)),
        [-2],
        /above maxFrameBytes \(4194304\)/,
      ],
      [
        'a cut',
        ({ response }, write) => {
          write(eventAt(3));
          setImmediate(() => response.destroy());
        },
        [-2, 3],
        /./,
      ],
      ['silence', () => {}, [-2], /2\.5 heartbeats/],
    ];
    for (const [name, act, expected, why] of streams)
      it(`takes ${name} in a stream for a disconnect`, async () => {
        const { peer } = await on('observe', (said) => {
          const write = said.stream();
          write({ task: taskAt(2) });
          act(said, write);
        });
        await brokenOff(peer, expected, why);
      });

    it('uses no idle connection of a link that fell silent', async () => {
      const known = new Set<unknown>();
      const { peer } = await open((operation, { response, stream }) => {
        if (operation === 'observe') stream()({ task: taskAt(2) });
        // It dies while it is idle, and nothing says so.
        else if (!known.has(response.socket)) return known.add(response.socket) && false;
        return true;
      });
      await peer.describe({ signal: signal() });
      const observed = (async () => {
        for await (const _frame of peer.observe(TASK, { signal: signal() }))
          await peer.get(TASK, undefined, { signal: signal() });
      })();
      await assert.rejects(observed, /2\.5 heartbeats/);
      assert.equal(known.size, 1);
      assert.equal((await peer.get(TASK, undefined, { signal: signal() })).task.id, TASK);
      assert.equal(known.size, 2);
    });

    it('does not end a task where a stream ends', async () => {
      const { peer } = await on('observe', ({ stream, response }) => {
        stream()({ task: taskAt(2) });
        response.end();
      });
      assert.deepEqual(await heard(peer), { places: [-2], end: undefined });
    });

    it('believes no event without the profile’s metadata', async () => {
      const { peer } = await on('observe', ({ stream }) => {
        const write = stream();
        write({ task: taskAt(2) });
        write({ statusUpdate: { taskId: TASK, status: taskAt(1).status } });
      });
      assert.ok((await heard(peer)).end instanceof NotNegotiated);
    });
  });
}
