/**
 * Public reports in their full counts, on every binding, over an executor in this process: what a few rounds against
 * running processes would meet once in a while, thousands meet. docs/field-reports.md says which is where.
 */
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PeerRefusal, type RemoteFrame } from '../../coordinator/connection.js';
import type { ExecutorConfig } from '../../executor/config.js';
import { CONFIG, openTestExecutor, requestOf } from '../../executor/testing/harness.js';
import { inProcessRunner } from '../../executor/testing/in-process-runner.js';
import type { Append } from '../../journal/journal.js';
import { messageFromRequest } from '../../profile/message.js';
import { requestDigest } from '../../profile/request.js';
import { bearer, openRig, type Rig, SPOKEN } from '../testing/rig.js';

const ENDED = /TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)/;
const LOOPBACK = 'over loopback';
const WITHIN_MS = 20_000;
const signal = () => AbortSignal.timeout(WITHIN_MS);
const many = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** In groups of so many at a time, one behind the other. */
async function inGroups(total: number, size: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < total; at += size) await many(Math.min(size, total - at), (index) => run(at + index));
}

/** What the tests do between the executor and its journal. */
class Between {
  /** Readers that wait for the next event: the gauge of open streams. */
  waiting = 0;
  pauseMs = 0;
  saveMs = 0;
  /** Ends whose commit was held up. */
  saved = 0;
  readonly finish = new Map<string, () => void>();
}

/** The task's words: `at-once`, `after N` (ms), or `hold NAME` until it is finished by that name. */
function opener(between: Between) {
  return async (config: Partial<ExecutorConfig> = {}) => {
    const runner = inProcessRunner(async ({ task, say, stopped }) => {
      const [word, what = ''] = task.prompt.split(' ');
      if (word === 'at-once') return {};
      if (word === 'after') await delay(Number(what));
      if (word === 'hold') {
        const finished = new Promise<boolean>((resolve) => between.finish.set(what, () => resolve(true)));
        if (!(await Promise.race([finished, stopped.then(() => false)]))) return { stopReason: 'cancelled' };
      }
      say({ type: 'text', text: 'last' });
      return {};
    });
    const opened = await openTestExecutor(runner, {
      config,
      parts: (parts) => {
        const { journal } = parts;
        const shim = new Proxy(journal, {
          get(target, name) {
            if (name === 'wake')
              return async (...args: Parameters<typeof journal.wake>) => {
                between.waiting += 1;
                try {
                  if (between.pauseMs > 0) await delay(between.pauseMs);
                  return await target.wake(...args);
                } finally {
                  between.waiting -= 1;
                }
              };
            if (name === 'append')
              return async (taskId: string, append: Append) => {
                if (between.saveMs > 0 && append.events.some(({ body }) => ENDED.test(body))) {
                  await delay(between.saveMs);
                  between.saved += 1;
                }
                return target.append(taskId, append);
              };
            const value = Reflect.get(target, name) as unknown;
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
        return { ...parts, journal: shim };
      },
    });
    return { opened, release: () => {} };
  };
}

const ROOM = {
  limits: { ...CONFIG.limits, running: 512 },
  peers: [{ peer: 'oab-a', capabilities: ['repo:read'], maxRunning: 512 }],
};

describe('public reports, in full counts', function () {
  this.timeout(90_000);
  let rig: Rig;
  let between: Between;
  beforeEach(async () => {
    between = new Between();
    rig = await openRig(ROOM, opener(between));
  });
  afterEach(() => rig.close());

  const taskOf = async (binding: (typeof SPOKEN)[number], task: string) => {
    const peer = rig.client(binding);
    const { request } = requestOf({ task });
    return { peer, id: (await peer.create(request, { signal: signal() })).task.id };
  };

  for (const [at, binding] of SPOKEN.entries()) {
    // The report's count is that of all four together, where the race lies behind the binding.
    const share = (total: number) => Math.floor((total * (at + 1)) / 4) - Math.floor((total * at) / 4);

    it(`OPEN-02 ${binding}: the end is kept when the client leaves while it is saved`, async () => {
      between.saveMs = 500;
      await many(share(50), async (index) => {
        const { peer, id } = await taskOf(binding, 'after 300');
        const frames = peer.observe(id, { signal: signal() })[Symbol.asyncIterator]();
        // Half of them leave at the last artifact, half at any time round the saving.
        if (index % 2 === 0)
          for (;;) {
            const { value, done } = await frames.next();
            if (done === true || JSON.stringify(value).includes('"last"')) break;
          }
        else {
          void frames.next().catch(() => {});
          await delay((index * 97) % 600);
        }
        await peer.close();
        const other = rig.client(binding);
        for (const until = performance.now() + WITHIN_MS; performance.now() < until; await delay(20)) {
          const { task } = await other.get(id, undefined, { signal: signal() });
          if (!ENDED.test(task.status.state)) continue;
          assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
          return;
        }
        assert.fail(`${id} did not end`);
      });
      assert.equal(between.saved, share(50), 'each end was held up on its way into the store');
    });

    for (const [how, pauseMs] of [
      ['as it comes', 0],
      ['while the task ends between load and attach', 200],
    ] as const)
      it(`OPEN-04 ${binding}: a subscribe that races the end ends, ${how}, and nobody waits on`, async () => {
        const total = pauseMs === 0 ? share(500) : 16;
        between.pauseMs = pauseMs;
        await inGroups(total, 25, async (index) => {
          const { peer, id } = await taskOf(binding, `after ${pauseMs === 0 ? (index * 7) % 21 : 100}`);
          await delay(10);
          await seesTheEnd(peer.observe(id, { signal: signal() }));
          await peer.close();
        });
        for (let turn = 0; turn < 100 && between.waiting > 0; turn += 1) await delay(10);
        assert.equal(between.waiting, 0, 'nobody waits for a task that has ended');
      });

    it(`OPEN-11 ${binding}: completion and cancels race, and everybody sees one end`, async () => {
      const ends = new Set<string>();
      await inGroups(share(2000), 50, async (index) => {
        const name = `${binding}-${index}`;
        const { peer, id } = await taskOf(binding, `hold ${name}`);
        const frames = peer.observe(id, { signal: signal() });
        const watching = seesTheEnd(frames);
        while (!between.finish.has(name)) await delay(1);
        const cancel = () =>
          peer.cancel(id, { signal: signal() }).catch((error: unknown) => {
            assert.ok(error instanceof PeerRefusal && error.reason === 'TASK_NOT_CANCELABLE', String(error));
          });
        const cancels = Array.from({ length: index % 3 === 0 ? 2 : 1 }, cancel);
        // A cancel has a way to go: the completion sets out at any time from before it to after it.
        for (let turn = (index * 5) % 40; turn > 0; turn -= 1) await new Promise((go) => setImmediate(go));
        between.finish.get(name)?.();
        await Promise.all(cancels);
        const streamed = await watching;
        for (const _look of [1, 2]) {
          const { task, result } = await peer.get(id, undefined, { signal: signal() });
          if (streamed !== undefined) assert.equal(task.status.state, streamed);
          assert.equal(
            { completed: 'TASK_STATE_COMPLETED', cancelled: 'TASK_STATE_CANCELED' }[String(result?.status)],
            task.status.state,
          );
          ends.add(task.status.state);
        }
        await peer.close();
      });
      assert.equal(ends.size, 2, `either side wins sometimes, or it was no race: ${[...ends].join()}`);
    });
  }

  for (const [binding, path] of [
    ['JSONRPC', '/'],
    ['HTTP+JSON', '/message:stream'],
  ] as const)
    for (const way of binding === 'JSONRPC'
      ? [LOOPBACK, 'behind a hop that writes single bytes']
      : [LOOPBACK])
      it(`OPEN-07 ${binding}: a thousand streams have their first and last item, ${way}`, async () => {
        const hop = way === LOOPBACK ? undefined : await openHop(rig.port);
        try {
          await inGroups(1000, 50, async (index) => {
            const { request } = requestOf({ task: 'at-once' });
            const params = { message: messageFromRequest(request) };
            const method = 'SendStreamingMessage';
            const body = binding === 'JSONRPC' ? { jsonrpc: '2.0', id: index, method, params } : params;
            const { text } = await rig.ask({
              path,
              body: JSON.stringify(body),
              headers: { authorization: `Bearer ${bearer({ req: requestDigest(request) })}` },
              ...(hop === undefined ? {} : { via: hop.port }),
            });
            const items = text.split('\n\n').filter((item) => item.startsWith('data: '));
            assert.match(items[0] ?? '', /^data: (\{[^{]*"result":)?\{"task":/, text);
            assert.match(items.at(-1) ?? '', /"statusUpdate":[\s\S]*TASK_STATE_COMPLETED/, text);
          });
        } finally {
          hop?.close();
        }
      });
});

/** The Task first and one end last, or the refusal of a task that has ended; the state that it saw. */
async function seesTheEnd(frames: AsyncIterable<RemoteFrame>): Promise<string | undefined> {
  const seen: RemoteFrame[] = [];
  try {
    for await (const frame of frames) seen.push(frame);
  } catch (error) {
    assert.ok(error instanceof PeerRefusal && error.reason === 'UNSUPPORTED_OPERATION', String(error));
    assert.equal(seen.length, 0, 'refused behind the first item');
    return undefined;
  }
  const ends = seen.flatMap((frame) => {
    const state = 'event' in frame && 'statusUpdate' in frame.event && frame.event.statusUpdate.status.state;
    return state && ENDED.test(state) ? [state] : [];
  });
  const last = seen.at(-1);
  assert.deepEqual([ends.length, last !== undefined && 'event' in last], [1, true], JSON.stringify(seen));
  return ends[0];
}

/** Passes on what the server says one byte at a time, each a write of its own, and 50 ms late. */
async function openHop(port: number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (down) => {
    const up = connect({ host: '127.0.0.1', port });
    for (const socket of [down, up]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    down.pipe(up);
    up.on('data', (chunk: Buffer) =>
      setTimeout(() => {
        for (let at = 0; at < chunk.length; at += 1) down.write(chunk.subarray(at, at + 1));
      }, 50),
    );
    up.on('end', () => setTimeout(() => down.end(), 50));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as { port: number }).port, close };
}
