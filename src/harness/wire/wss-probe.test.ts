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
import { Identity } from './identity.js';
import { type Json, type Probe, UPGRADE } from './probe.js';
import { wireRequest } from './request.js';
import { wssProbe } from './wss-probe.js';

interface Asked extends Json {
  id: number;
  method: string;
  serviceParameters: Record<string, string>;
}

/** A server that says what a test wants said, and keeps what it was asked. */
type Answer = (asked: Asked, say: (frame: Json) => void, open: WebSocket) => void;

const ECHO = { serviceParameters: { 'A2A-Extensions': `https://example.invalid/x, ${EXT}` } };
const place = (sequence: number) => ({
  [KEY.event]: { turn_id: 'u', sequence, cursor: `c${sequence}` },
});
const task = (sequence: number, state = 'WORKING'): Json => ({
  id: 't',
  status: { state: `TASK_STATE_${state}` },
  metadata: place(sequence),
});
const item = (sequence: number, state = 'WORKING'): Json => ({
  statusUpdate: { taskId: 't', status: { state: `TASK_STATE_${state}` }, metadata: place(sequence) },
});
const end = (id: number, reason: string): Json => ({ method: '$/streamEnd', params: { id, reason } });

describe('the WSS probe', () => {
  let lab: Lab;
  let asked: Asked[] = [];
  beforeEach(async () => {
    lab = await openLab({ caseId: 'wss-probe', seed: '1' });
    asked = [];
  });
  afterEach(() => lab.close());

  const open = async (answer: Answer, verify = () => true): Promise<Probe> => {
    const authority = await lab.authority();
    const tls = await authority.issue('server', { dns: ['oab-b.lab'] });
    const server = createServer(
      { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
      (_, response) => void response.end('{"name":"card"}'),
    );
    const sockets = new WebSocketServer({
      server,
      verifyClient: verify,
      handleProtocols: () => 'oab.a2a.v1',
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
    return wssProbe(
      new Identity('gate', 'oab-b', file),
      'https://oab-b.lab/',
      () => ({ host: '127.0.0.1', port }),
      { subject: { ca, servername: 'oab-b.lab' } },
    );
  };
  const observed = async (answer: Answer, options = {}) => {
    const session = (await open(answer)).subscribe('t', options);
    return { session, how: await session.ended };
  };

  it('says what it is told to in the service parameters, and reads echo, result and refusal', async () => {
    const probe = await open(({ id, method }, say) => {
      if (method === 'SendMessage') say({ id, result: { task: task(1) }, ...ECHO });
      else
        say({
          id,
          error: {
            code: -32603,
            message: 'x',
            data: [{ reason: 'ANY', metadata: { oabReason: 'SATURATED', retryAfterMs: '7' } }],
          },
        });
    });
    const created = await probe.create(wireRequest('oab-b', 'x'));
    assert.deepEqual([created.result?.id, created.echoed, created.status], ['t', true, 200]);
    const refused = await probe.get('t', { cursor: 'c1', extensions: false, version: '9', token: null });
    assert.deepEqual(refused.error, { code: -32603, reason: 'SATURATED', retryAfterMs: 7 });
    assert.equal(refused.echoed, false);
    assert.deepEqual(asked[1]?.serviceParameters, { 'A2A-Version': '9', 'OAB-Cursor': 'c1' });
    const { Authorization: token, ...rest } = asked[0]?.serviceParameters ?? {};
    assert.match(String(token), /^Bearer /);
    assert.deepEqual(rest, { 'A2A-Version': '1.0', 'A2A-Extensions': EXT });
    assert.deepEqual(await probe.card(), { name: 'card' });
  });

  it('observes: the Task, its events, and an end that is one', async () => {
    const { session, how } = await observed(({ id }, say) => {
      say({ id, result: { task: task(3) }, ...ECHO });
      say({ id, result: item(4) });
      say({ id, result: item(5, 'COMPLETED') });
      say(end(id, 'complete'));
    });
    assert.deepEqual(
      session.frames.map(({ kind, sequence }) => [kind, sequence]),
      [
        ['task', 3],
        ['status', 4],
        ['status', 5],
      ],
    );
    assert.deepEqual([how, session.strange()], ['fin', []]);
  });

  for (const [name, answer, how] of [
    ['an end that is called complete without the terminal event', [item(4), 'complete'], 'fin'],
    ['an interrupted end behind it', [item(4, 'COMPLETED'), 'interrupted'], 'cut'],
    ['a Task in mid-stream', [item(4), { task: task(4) }, item(5, 'COMPLETED'), 'complete'], 'fin'],
  ] as [string, (Json | string)[], string][])
    it(`finds ${name} strange`, async () => {
      const got = await observed(({ id }, say) => {
        say({ id, result: { task: task(3) } });
        for (const one of answer) say(typeof one === 'string' ? end(id, one) : { id, result: one });
      });
      assert.equal(got.how, how);
      assert.equal(got.session.strange().length, 1);
    });

  it('gives credit as it reads, or none, and finds more than it gave strange', async () => {
    const credits = () => asked.filter(({ method }) => method === '$/credit').length;
    const flood: Answer = ({ id, method }, say) => {
      if (method !== 'SubscribeToTask') return;
      say({ id, result: { task: task(1) } });
      for (let sequence = 2; sequence <= 70; sequence += 1)
        say({ id, result: item(sequence, sequence === 70 ? 'COMPLETED' : 'WORKING') });
      say(end(id, 'complete'));
    };
    const mean = await observed(flood, { credit: false });
    assert.ok(mean.session.strange().length > 0);
    assert.equal(credits(), 0);
    const well = await observed(({ id, method, params }, say) => {
      if (method === 'SubscribeToTask') {
        say({ id, result: { task: task(1) } });
        for (let sequence = 2; sequence <= 32; sequence += 1) say({ id, result: item(sequence) });
      } else {
        assert.deepEqual([method, params], ['$/credit', { id: 1, events: 32 }]);
        say({ id: 1, result: item(33, 'COMPLETED') });
        say(end(1, 'complete'));
      }
    });
    assert.deepEqual([well.how, well.session.strange()], ['fin', []]);
  });

  it('takes the end of a connection for no end of a stream, and an error for its refusal', async () => {
    const cut = await observed(({ id }, say, socket) => {
      say({ id, result: { task: task(3) } });
      socket.close(4503);
    });
    assert.equal(cut.how, 'cut');
    const refused = await observed(({ id }, say) => say({ id, error: { code: -32004, message: 'x' } }));
    assert.equal(refused.how, 'refused');
    assert.equal((await refused.session.refusal)?.error?.code, -32004);
  });

  it('names the close behind who does not authenticate, and the upgrade’s answer', async () => {
    const data = [{ reason: 'INTERNAL', metadata: { oabReason: 'UNAUTHENTICATED' } }];
    const probe = await open(({ id }, say, socket) => {
      say({ id, error: { code: -32603, message: 'x', data } });
      socket.close(4401);
    });
    const answer = await probe.get('t', { token: null });
    assert.deepEqual([answer.status, answer.error?.reason], [4401, 'UNAUTHENTICATED']);
    const closed = await open(
      () => {},
      () => false,
    );
    const upgrade = closed.operations('t', wireRequest('oab-b', 'x')).find(({ name }) => name === UPGRADE);
    const refused = await upgrade?.call({ token: null });
    assert.deepEqual([refused?.status, refused?.error?.reason], [401, 'UNAUTHENTICATED']);
  });
});
