import assert from 'node:assert/strict';
import { type PeerConnection, PeerRefusal, type RemoteFrame } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { isTerminal } from '../../profile/lifecycle.js';
import { requestDigest } from '../../profile/request.js';
import { connectWss, type WssClientOptions } from './client.js';
import { bearer, openRig } from './testing/rig.js';

const signal = () => AbortSignal.timeout(10_000);

describe('the WSS client, towards a real executor', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  const clients: PeerConnection[] = [];
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await rig.close();
  });

  const client = (more: Partial<WssClientOptions> = {}) => {
    const made = connectWss({
      url: 'http://oab-b.lab/',
      connect: `127.0.0.1:${rig.port}`,
      insecureLoopback: true,
      timeoutMs: 5000,
      credentials: (req) => bearer({ req }),
      ...more,
    });
    clients.push(made);
    return made;
  };
  const create = async (peer: PeerConnection, task: string) => {
    const { request } = requestOf({ task, budget: { max_output_bytes: 1024 * 1024 } });
    return { request, task: (await peer.create(request, { signal: signal() })).task };
  };
  const read = async (frames: AsyncIterable<RemoteFrame>) => {
    const found: RemoteFrame[] = [];
    for await (const frame of frames) found.push(frame);
    return found;
  };

  it('follows a task from its Task to its signed end, with more events than there are credits at first', async () => {
    const peer = client();
    const { request, task } = await create(peer, 'hold 300');
    const reading = read(peer.observe(task.id, { signal: signal() }));
    await rig.opened.journal.wake(task.id, 1, signal());
    rig.release();
    const got = await reading;
    assert.ok(got.length > 300);
    let head = firstHead(task.id, requestDigest(request));
    for (let cursor = '0'; cursor !== ''; ) {
      const { page } = await peer.get(task.id, cursor, { signal: signal() });
      for (const { event } of page?.events ?? []) head = headAfter(head, event);
      cursor = page?.next ?? '';
    }
    const ended = await peer.get(task.id, undefined, { signal: signal() });
    assert.equal(ended.result?.event_log.head, head);
    const positions = got.flatMap((frame) => ('event' in frame ? [frame.position.sequence] : []));
    assert.deepEqual(
      positions,
      positions.map((_, index) => (positions[0] as number) + index),
    );
    assert.equal(positions.at(-1), ended.position?.sequence);
  });

  it('tells refusals by their reasons, before the first item too', async () => {
    const peer = client();
    const reason = async (asked: Promise<unknown>) => {
      const error = await asked.then(
        () => assert.fail('no refusal'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof PeerRefusal, String(error));
      return error.reason;
    };
    const { task } = await create(peer, 'say 1');
    await read(peer.observe(task.id, { signal: signal() })).catch(() => []);
    await rig.opened.journal.wake(task.id, 3, signal());
    assert.equal(await reason(peer.get('none', undefined, { signal: signal() })), 'TASK_NOT_FOUND');
    assert.equal(await reason(peer.get(task.id, 'nonsense', { signal: signal() })), 'CURSOR_INVALID');
    assert.equal(await reason(read(peer.observe('none', { signal: signal() }))), 'TASK_NOT_FOUND');
    const expired = client({ credentials: () => bearer({ expired: true }) });
    assert.equal(await reason(expired.get(task.id, undefined, { signal: signal() })), 'UNAUTHENTICATED');
  });

  it('opens another connection when the one it had is gone, and shares it among those who ask at once', async () => {
    const peer = client();
    const { task } = await create(peer, 'hold');
    const observed = read(peer.observe(task.id, { signal: signal() }));
    rig.server.close();
    await assert.rejects(observed, /4503: the server drains/);
    const before = rig.opened.journal.task(task.id)?.state;
    assert.ok(before !== undefined && !isTerminal(before));
    const [one, two] = await Promise.all([
      peer.get(task.id, undefined, { signal: signal() }),
      peer.get(task.id, undefined, { signal: signal() }),
    ]);
    assert.deepEqual(one.position, two.position);
    const again = read(peer.observe(task.id, { signal: signal() }));
    await peer.cancel(task.id, { signal: signal() });
    rig.release();
    assert.ok((await again).length > 1);
  });

  it('stops reading when it is told to, and the task goes on', async () => {
    const peer = client();
    const { task } = await create(peer, 'hold');
    const stop = new AbortController();
    const reading = read(peer.observe(task.id, { signal: stop.signal }));
    await rig.opened.journal.wake(task.id, 2, signal());
    stop.abort();
    await assert.rejects(reading);
    assert.equal((await peer.get(task.id, undefined, { signal: signal() })).task.id, task.id);
    await peer.close();
    await assert.rejects(peer.get(task.id, undefined, { signal: signal() }), /given up/);
  });
});
