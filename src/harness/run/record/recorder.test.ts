import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEY } from '../../../profile/names.js';
import { openLink } from '../../lab/link.js';
import type { Address } from '../../lab/ports.js';
import type { CoordinatorSubject } from '../../subjects/coordinator-subject.js';
import type { ExecutorSubject } from '../../subjects/executor-subject.js';
import type { Json, Probe, ProbeAnswer } from '../../wire/probe.js';
import { StreamSession } from '../../wire/stream-session.js';
import { Recorder } from './recorder.js';

const status = (sequence: number, state: string): Json => ({
  statusUpdate: {
    taskId: 't',
    contextId: 'c',
    status: { state: `TASK_STATE_${state}` },
    metadata: { [KEY.event]: { sequence, cursor: `c${sequence}` } },
  },
});
const taskAt = (sequence: number, id = 't'): Json => ({
  id,
  status: { state: 'TASK_STATE_WORKING' },
  metadata: { [KEY.event]: { sequence, cursor: `c${sequence}` } },
});
const answer = (result: Json): ProbeAnswer => ({
  status: 200,
  echoed: true,
  result,
  text: JSON.stringify(result),
});

describe('the recorder of a case', () => {
  let address: Address = { host: '127.0.0.1', port: 1 };
  /** What the executor of the test answers next. */
  let next: Json = taskAt(1);
  let session: StreamSession;
  const probeOf = (peer: string): Probe =>
    ({
      binding: 'JSONRPC',
      peer,
      create: async () => answer(next),
      get: async () => answer(next),
      subscribe: () => session,
      operations: () => [],
    }) as unknown as Probe;
  const subject = {
    peer: 'oab-b',
    settings: { windowMs: 60_000 },
    hooks: new Set(),
    address: () => address,
    gate: { peer: 'gate' },
    probe: (caller = { peer: 'gate' }) => probeOf(caller.peer),
  } as unknown as ExecutorSubject;
  const other = { peer: 'gate-other' } as never;
  const request = (task: string) => ({ request_id: 'r', task, capabilities: ['repo:read'] });
  const rules = async (recorder: Recorder) => (await recorder.findings()).map(({ rule }) => rule);

  beforeEach(() => {
    address = { host: '127.0.0.1', port: 1 };
    next = taskAt(1);
    session = new StreamSession({ close() {}, pause() {}, resume() {} });
    session.opened();
  });

  it('hands on what the probe gives, and finds a second task of one request', async () => {
    const recorder = new Recorder();
    const executor = recorder.executor(subject);
    assert.equal(recorder.executor(subject), executor);
    const probe = executor.probe();
    assert.equal((await probe.create(request('x'))).result, next);
    next = taskAt(1, 'u');
    await probe.create(request('x'));
    assert.deepEqual(await rules(recorder), ['exactly-once']);
  });

  it('finds a read that goes back behind one that had ended before it began', async () => {
    const recorder = new Recorder();
    const probe = recorder.executor(subject).probe();
    next = taskAt(3);
    await probe.get('t');
    next = taskAt(2);
    await probe.get('t');
    assert.deepEqual(await rules(recorder), ['order']);
  });

  it('takes what comes by way of a stranger’s address as nobody’s word', async () => {
    const recorder = new Recorder();
    const probe = recorder.executor(subject).probe();
    await probe.create(request('x'));
    next = taskAt(1, 'forged');
    await probe.create(request('x'), { via: { host: '127.0.0.1', port: 2 } });
    assert.deepEqual(await rules(recorder), []);
    // The same by the subject's own, which moved with a restart.
    address = { host: '127.0.0.1', port: 2 };
    await probe.create(request('x'), { via: { host: '127.0.0.1', port: 2 } });
    assert.deepEqual(await rules(recorder), ['exactly-once']);
  });

  it('reads streams when they end, and those that are open at the end of the case', async () => {
    for (const close of [true, false]) {
      const recorder = new Recorder();
      session = new StreamSession({ close() {}, pause() {}, resume() {} });
      session.opened();
      recorder.executor(subject).probe().subscribe('t');
      const items = [{ task: taskAt(1) }, status(3, 'WORKING')];
      for (const item of items)
        session.bytes(
          Buffer.from(`data: ${JSON.stringify({ result: item })}\n\n`),
          (json) => json.result as Json,
        );
      if (close) session.close();
      await session.refusal;
      assert.deepEqual(await rules(recorder), ['order'], String(close));
    }
  });

  it('finds that an answer cannot be read, and hands it on all the same', async () => {
    const recorder = new Recorder();
    const probe = recorder.executor(subject).probe();
    for (const metadata of [
      { [KEY.events]: { events: [null], next: '' } },
      { [KEY.result]: { summary: '\ud800' } },
      { [KEY.event]: { sequence: 1, effective_capabilities: 'all' } },
    ]) {
      next = { ...taskAt(1), metadata };
      assert.equal((await probe.get('t', { cursor: '0' })).result, next);
    }
    assert.deepEqual(new Set(await rules(recorder)), new Set(['one-log']));
  });

  it('knows whose text it is by who sent it', async () => {
    const recorder = new Recorder();
    const executor = recorder.executor(subject);
    const mark = recorder.canaries.mint();
    await executor.probe().create(request(`mark ${mark}`));
    next = { ...taskAt(1), artifacts: [mark] };
    await executor.probe().get('t');
    assert.deepEqual(await rules(recorder), []);
    await executor.probe(other).get('t');
    assert.deepEqual(await rules(recorder), ['privacy']);
  });

  it('checks a coordinator’s lines, and its executor’s words only where that is a subject', async () => {
    const lines = [
      { type: 'event', task_id: 't', sequence: 2, cursor: 'c2', event: status(2, 'WORKING') },
      { type: 'event', task_id: 't', sequence: 1, cursor: 'c1', event: status(1, 'WORKING') },
    ];
    const coordinator = { run: () => ({ lines }) } as unknown as CoordinatorSubject;
    const job = (connect: string) =>
      ({ caller: 'gate', executor: { connect }, request: request('x'), trusted_results: '' }) as never;
    for (const [connect, expected] of [
      ['127.0.0.1:1', ['coordinator', 'lifecycle']],
      ['127.0.0.1:9', []],
    ] as const) {
      const recorder = new Recorder();
      recorder.executor(subject);
      recorder.coordinator('a', coordinator).run('delegate', job(connect));
      assert.deepEqual(await rules(recorder), expected);
    }
  });

  describe('of a link', () => {
    let server: Server;
    let body = '';
    let type = 'text/event-stream';
    before(async () => {
      server = createServer((_request, response) =>
        response.writeHead(200, { 'content-type': type }).end(body),
      );
      await once(server.listen(0, '127.0.0.1'), 'listening');
    });
    after(() => server.close());

    /** What is found when somebody of this name has asked through the link. */
    const asked = async (caller: string | undefined, prepare: (recorder: Recorder) => void = () => {}) => {
      const { port } = server.address() as AddressInfo;
      address = { host: '127.0.0.1', port };
      const recorder = new Recorder();
      const executor = recorder.executor(subject);
      const link = await openLink('l', address, () => Promise.reject(new Error('no fault is injected')));
      recorder.link(executor, link);
      prepare(recorder);
      const claims = Buffer.from(JSON.stringify({ sub: caller, aud: 'oab-b' })).toString('base64url');
      const headers = caller === undefined ? {} : { authorization: `Bearer eyJh.${claims}.c2ln` };
      const sent = httpRequest({ ...link.address, headers, agent: false });
      const [response] = (await once(sent.end(), 'response')) as [NodeJS.ReadableStream];
      await once(response.resume(), 'end');
      const found = await rules(recorder);
      await link.close();
      return found;
    };
    const sse = (...items: Json[]) =>
      items.map((result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`).join(':\n\n');

    it('finds a hole in a stream that only the tap saw', async () => {
      type = 'text/event-stream';
      body = sse({ task: taskAt(1) }, status(2, 'WORKING'), status(3, 'WORKING'));
      assert.deepEqual(await asked('gate'), []);
      body = sse({ task: taskAt(1) }, status(3, 'WORKING'));
      assert.deepEqual(await asked('gate'), ['order']);
    });

    it('finds a hole in a page, and another’s mark, by the caller whom the token names', async () => {
      type = 'application/json';
      let mark = '';
      const prepare = (recorder: Recorder) => {
        mark = recorder.canaries.mint();
        recorder.canaries.sent('gate', mark);
        body = JSON.stringify({ result: { id: mark } });
      };
      assert.deepEqual(await asked('gate', prepare), []);
      assert.deepEqual(await asked('gate-other', prepare), ['privacy']);
      assert.deepEqual(await asked(undefined, prepare), ['privacy']);
      const events = [1, 3].map((sequence) => ({
        sequence,
        cursor: `c${sequence}`,
        event: status(sequence, 'SUBMITTED'),
      }));
      const task = taskAt(3);
      body = JSON.stringify({
        result: {
          ...task,
          metadata: { ...(task.metadata as Json), [KEY.events]: { events, next: '', complete: true } },
        },
      });
      assert.ok((await asked('gate')).includes('order'));
    });
  });
});
