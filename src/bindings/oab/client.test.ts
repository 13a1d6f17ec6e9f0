import assert from 'node:assert/strict';
import { type PeerConnection, PeerRefusal, type RemoteFrame } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { isTerminal } from '../../profile/lifecycle.js';
import { KEY } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { connectOab, type OabClientOptions } from './client.js';
import { bearer, openRig } from './testing/rig.js';

const signal = () => AbortSignal.timeout(10_000);

describe('the custom OAB protocol’s client, towards a real executor', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  const clients: PeerConnection[] = [];
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await rig.close();
  });

  const client = (more: Partial<OabClientOptions> = {}) => {
    const made = connectOab({
      peer: 'oab-b',
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
    const found: Extract<RemoteFrame, { event: unknown }>[] = [];
    for await (const frame of frames) {
      assert.ok('event' in frame, 'a gap');
      found.push(frame);
    }
    return found;
  };

  it('follows a task from its beginning to its signed end, with more events than there are credits at first', async () => {
    const peer = client();
    const { request, task } = await create(peer, 'say 300');
    const got = await read(peer.observe(task.id, { signal: signal() }));
    assert.deepEqual(
      got.map(({ position }) => position.sequence),
      got.map((_, index) => index + 1),
    );
    assert.ok(got.length > 300);
    const head = got.reduce(
      (before, { event }) => headAfter(before, event),
      firstHead(task.id, requestDigest(request)),
    );
    const ended = await peer.get(task.id, undefined, { signal: signal() });
    assert.deepEqual([ended.position?.head, ended.result?.event_log.head], [head, head]);
    const last = got.at(-1)?.event;
    assert.ok(last !== undefined && 'statusUpdate' in last);
    assert.deepEqual(last.statusUpdate.metadata?.[KEY.result], ended.result);
    assert.deepEqual(
      ended.task.artifacts?.map(({ metadata }) => metadata),
      ended.task.artifacts?.map(() => ({ [KEY.owner]: 'oab-b' })),
    );
  });

  it('goes on from where its reader stands, and reads an ended log again in bounded pieces', async () => {
    const peer = client();
    const { task } = await create(peer, 'say 2500');
    const got = await read(peer.observe(task.id, { signal: signal() }));
    const from = got[4]?.position as { cursor: string; sequence: number };
    const rest = await read(peer.observe(task.id, { signal: signal(), from }));
    assert.deepEqual([rest[0]?.position.sequence, rest.length], [6, got.length - 5]);
    const sequences: number[] = [];
    let pages = 0;
    for (let cursor = '0'; cursor !== ''; pages += 1) {
      const { page } = await peer.get(task.id, cursor, { signal: signal() });
      sequences.push(...(page?.events ?? []).map(({ sequence }) => sequence));
      cursor = page?.next ?? '';
    }
    assert.ok(pages > 1, `${pages} pages`);
    assert.deepEqual(
      sequences,
      got.map((_, index) => index + 1),
    );
    const end = await peer.get(task.id, String(got.at(-1)?.position.cursor), { signal: signal() });
    assert.deepEqual(end.page, { events: [], next: '', complete: true });
  });

  it('reads of a running task what there is, and does not wait for more', async () => {
    const peer = client();
    const { task } = await create(peer, 'hold');
    await rig.opened.journal.wake(task.id, 2, signal());
    const { page, position } = await peer.get(task.id, '0', { signal: signal() });
    assert.equal(page?.events.at(-1)?.sequence, position?.sequence);
    const cancelled = await peer.cancel(task.id, { signal: signal() });
    assert.equal(cancelled.task.id, task.id);
    rig.release();
    const got = await read(peer.observe(task.id, { signal: signal() }));
    assert.ok(got.some(({ event }) => 'statusUpdate' in event && event.statusUpdate.metadata?.[KEY.cancel]));
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
    await read(peer.observe(task.id, { signal: signal() }));
    assert.equal(await reason(peer.get('none', undefined, { signal: signal() })), 'TASK_NOT_FOUND');
    assert.equal(await reason(peer.cancel(task.id, { signal: signal() })), 'TASK_NOT_CANCELABLE');
    assert.equal(await reason(read(peer.observe('none', { signal: signal() }))), 'TASK_NOT_FOUND');
    const from = { cursor: 'nonsense', sequence: 3 };
    assert.equal(await reason(read(peer.observe(task.id, { signal: signal(), from }))), 'CURSOR_INVALID');
    const expired = client({ credentials: () => bearer({ expired: true }) });
    assert.equal(await reason(expired.describe({ signal: signal() })), 'UNAUTHENTICATED');
  });

  it('opens another connection when the one it had is gone, and shares it among those who ask at once', async () => {
    const peer = client();
    const { task } = await create(peer, 'hold');
    const observed = read(peer.observe(task.id, { signal: signal() }));
    rig.server.close();
    await assert.rejects(observed, /4503/);
    const before = rig.opened.journal.task(task.id)?.state;
    assert.ok(before !== undefined && !isTerminal(before));
    const [one, two] = await Promise.all([
      peer.get(task.id, undefined, { signal: signal() }),
      peer.get(task.id, undefined, { signal: signal() }),
    ]);
    assert.deepEqual(one.position, two.position);
    rig.release();
    const again = await read(peer.observe(task.id, { signal: signal() }));
    assert.ok(again.length > 2);
  });

  it('stops reading when it is told to, and the task goes on', async () => {
    const peer = client();
    const { task } = await create(peer, 'hold');
    const stop = new AbortController();
    const frames = peer.observe(task.id, { signal: stop.signal });
    const reading = read(frames);
    await rig.opened.journal.wake(task.id, 2, signal());
    stop.abort();
    await assert.rejects(reading, /ended/);
    rig.release();
    assert.ok((await read(peer.observe(task.id, { signal: signal() }))).length > 2);
  });
});
