import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { EXT, KEY } from '../../profile/names.js';
import { openLab } from '../lab/lab.js';
import type { Lab } from '../lab/ports.js';
import { isTerminalFrame, taskOf } from '../run/observe.js';
import { Identity } from './identity.js';
import { oabProbe } from './oab-probe.js';
import type { Json, Probe } from './probe.js';
import { wireRequest } from './request.js';

interface Asked extends Json {
  id: number;
  method: string;
}

/** A server that says what a test wants said, and keeps what it was asked. */
type Answer = (asked: Asked, say: (frame: Json) => void, open: WebSocket) => void;

const task = (sequence: number, state = 'WORKING', more: Json = {}): Json => ({
  task_id: 't',
  context_id: 'c',
  turn_id: 'u',
  status: { state: `TASK_STATE_${state}`, timestamp: '2026-01-01T00:00:00.000Z' },
  artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }], owner: 'oab-b' }],
  sequence,
  cursor: `c${sequence}`,
  head: 'sha256:0',
  effective_capabilities: ['repo:read'],
  deadline_at: '2026-01-01T00:01:00.000Z',
  ...more,
});
const item = (sequence: number, state = 'WORKING', more: Json = {}, metadata?: Json): Json => ({
  turn_id: 'u',
  sequence,
  cursor: `c${sequence}`,
  event: {
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: { state: `TASK_STATE_${state}` },
      ...(metadata && { metadata }),
    },
  },
  ...more,
});
const end = (id: number, reason: string): Json => ({ method: '$/streamEnd', params: { id, reason } });

describe('the OAB probe', () => {
  let lab: Lab;
  let asked: Asked[] = [];
  beforeEach(async () => {
    lab = await openLab({ caseId: 'oab-probe', seed: '1' });
    asked = [];
  });
  afterEach(() => lab.close());

  const open = async (answer: Answer, verify = () => true): Promise<Probe> => {
    const authority = await lab.authority();
    const tls = await authority.issue('server', { dns: ['oab-b.lab'] });
    const server = createServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) });
    const sockets = new WebSocketServer({
      server,
      verifyClient: verify,
      handleProtocols: () => 'oab.delegation.v1',
    });
    sockets.on('connection', (socket) =>
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as Asked;
        asked.push(frame);
        answer(frame, (said) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...said })), socket);
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    lab.onClose('the server', () => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    });
    const file = join(lab.folder, 'gate.jwks');
    writeKeyFile(file, [newKey(Date.now() - 60_000)], 'private');
    const { port } = server.address() as AddressInfo;
    const ca = readFileSync(authority.ca, 'utf8');
    return oabProbe(
      new Identity('gate', 'oab-b', file),
      'https://oab-b.lab/',
      () => ({ host: '127.0.0.1', port }),
      { subject: { ca, servername: 'oab-b.lab' } },
    );
  };
  /** Answers `get` and `create` with this task, and `events` with these items and an end. */
  const telling =
    (shown: Json, items: readonly Json[], reason = 'complete'): Answer =>
    ({ id, method }, say) => {
      if (method === 'get' || method === 'create') say({ id, result: shown });
      if (method !== 'events') return;
      for (const result of items) say({ id, result });
      if (reason !== 'none') say(end(id, reason));
    };

  it('observes: the task as suites read it, then its events, and an end that is one', async () => {
    const items = [
      item(4, 'WORKING', { cancel_requested_at: 'then' }),
      item(5, 'COMPLETED', { result: { a: 1 } }),
    ];
    const session = (await open(telling(task(3), items))).subscribe('t');
    assert.equal(await session.ended, 'fin');
    assert.deepEqual(session.strange(), []);
    assert.deepEqual(
      session.frames.map(({ kind, sequence, cursor }) => [kind, sequence, cursor]),
      [
        ['task', 3, 'c3'],
        ['status', 4, 'c4'],
        ['status', 5, 'c5'],
      ],
    );
    const shown = session.frames[0]?.json.task as { artifacts: Json[]; metadata: Json };
    assert.deepEqual(shown.artifacts[0]?.metadata, { [KEY.owner]: 'oab-b' });
    assert.equal((shown.metadata[KEY.event] as Json).head, 'sha256:0');
    const [, cancel, last] = session.frames.map(
      ({ json }) => (json.statusUpdate as Json | undefined)?.metadata as Json,
    );
    assert.deepEqual(cancel?.[KEY.cancel], { requested_at: 'then' });
    assert.deepEqual(last?.[KEY.result], { a: 1 });
    assert.deepEqual(
      asked.map(({ method, params }) => [method, params]),
      [
        ['get', { task_id: 't' }],
        ['events', { task_id: 't', cursor: 'c3' }],
      ],
    );
    assert.ok(asked.every(({ token }) => typeof token === 'string'));
  });

  it('gives credit as it reads, unless it is told not to, and sees who sends without', async () => {
    const items = Array.from({ length: 70 }, (_, n) => item(n + 1));
    const honest: Answer = ({ method }, say) => {
      if (method === 'events') for (const result of items.slice(0, 64)) say({ id: 2, result });
      const credits = asked.filter((one) => one.method === '$/credit');
      if (method === '$/credit' && credits.length === 2)
        for (const result of items.slice(64)) say({ id: 2, result });
    };
    const reading = (await open(honest)).events?.('t', '0');
    await reading?.until((frames) => frames.length === 70);
    reading?.close();
    const credits = asked.filter(({ method }) => method === '$/credit');
    assert.deepEqual(credits[0]?.params, { id: 2, events: 32 });
    assert.equal(credits.length, 2);
    assert.deepEqual(reading?.strange(), []);
    asked = [];
    const withheld = (await open(telling(task(0), items, 'none'))).events?.('t', '0', { credit: false });
    await withheld?.until((frames) => frames.length === 70);
    withheld?.close();
    assert.deepEqual([asked.length, withheld?.strange().length], [1, 6]);
  });

  for (const [name, items, reason, how, strange] of [
    ['an end that is interrupted', [item(1)], 'interrupted', 'cut', 0],
    ['an end that is called complete and is not', [item(1)], 'complete', 'fin', 1],
    ['an end behind the terminal event that is none', [item(1, 'FAILED')], 'interrupted', 'cut', 1],
    ['a member nobody knows', [item(1, 'FAILED', { more: 1 })], 'complete', 'fin', 1],
    ['an item without its cursor', [{ ...item(1, 'FAILED'), cursor: undefined }], 'complete', 'fin', 1],
    ['a key of another protocol', [item(1, 'FAILED', {}, { [`${EXT}/event`]: {} })], 'complete', 'fin', 1],
  ] as const)
    it(`takes ${name} for what it is`, async () => {
      const session = (await open(telling(task(0), items, reason))).events?.('t', '0');
      assert.equal(await session?.ended, how);
      assert.equal(session?.strange().length, strange);
    });

  it('takes the end of a connection for no end of a stream', async () => {
    for (const drop of [(open: WebSocket) => open.close(1000), (open: WebSocket) => open.terminate()]) {
      const probe = await open(({ id, method }, say, socket) => {
        if (method !== 'events') return;
        say({ id, result: item(1, 'FAILED') });
        drop(socket);
      });
      const session = probe.events?.('t', '0');
      assert.notEqual(await session?.ended, 'fin');
      assert.ok(session?.frames.some(isTerminalFrame));
    }
  });

  it('reads a page up to the place of its task, whichever comes first', async () => {
    const pageOf = async (probe: Probe, cursor: string) => {
      const answer = await probe.get('t', { cursor });
      const metadata = taskOf(answer, 'a page').metadata as Json;
      const { events, complete, floor } = metadata[KEY.events] as Json & { events: Json[] };
      return [events.map(({ sequence }) => sequence), complete, floor];
    };
    const running = await open(telling(task(2), [item(1), item(2), item(3)], 'none'));
    assert.deepEqual(await pageOf(running, '0'), [[1, 2], true, undefined]);
    assert.deepEqual(await pageOf(await open(telling(task(2), [], 'none')), 'c2'), [[], true, undefined]);
    const floor = { sequence: 2, head: 'sha256:1' };
    const over = telling(task(3, 'FAILED'), [{ floor }, item(3, 'FAILED')]);
    // The task is answered behind the stream's end.
    let late = () => {};
    const reversed = await open((frame, say, socket) => {
      if (frame.method === 'get') late = () => over(frame, say, socket);
      else over(frame, say, socket);
      if (asked.length % 2 === 0) setImmediate(() => late());
    });
    asked = [];
    assert.deepEqual(await pageOf(reversed, '0'), [[3], false, floor]);
    const short = await open(telling(task(3, 'FAILED'), [item(1)], 'interrupted'));
    await assert.rejects(short.get('t', { cursor: '0' }), /do not reach/);
  });

  it('gives the refusal of a stream, and of an upgrade', async () => {
    const error = { code: -32602, message: 'no', data: { reason: 'CURSOR_INVALID' } };
    const probe = await open(({ id, method }, say) =>
      say({ id, ...(method === 'get' ? { result: task(1) } : { error }) }),
    );
    assert.deepEqual((await probe.get('t', { cursor: 'x' })).error, {
      code: -32602,
      reason: 'CURSOR_INVALID',
    });
    const closed = await open(
      () => {},
      () => false,
    );
    assert.equal((await closed.get('t')).status, 401);
    assert.equal((await closed.subscribe('t').refusal)?.status, 401);
  });

  it('says by which code a connection was closed behind an unauthenticated request', async () => {
    for (const code of [4401, 1008]) {
      const probe = await open(({ id }, say, socket) => {
        say({ id, error: { code: -32603, message: 'no', data: { reason: 'UNAUTHENTICATED' } } });
        socket.close(code);
      });
      const answer = await probe.get('t');
      assert.deepEqual([answer.status, answer.error?.reason], [code, 'UNAUTHENTICATED']);
    }
  });

  it('takes a task with more or less than a task has for no result', async () => {
    const request = wireRequest('oab-b', 'x');
    for (const strange of [task(1, 'WORKING', { id: 't' }), { ...task(1), head: undefined }])
      assert.equal((await (await open(telling(strange, []))).create(request)).result, undefined);
    const honest = await (await open(telling(task(1), []))).create(request);
    assert.equal(honest.result?.id, 't');
  });
});
