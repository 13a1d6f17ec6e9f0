/** Read by the harness's own probe, which knows nothing of it but the binding's page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { KEY, WSS_BINDING } from '../../profile/names.js';
import { openLab } from '../lab/lab.js';
import type { Lab } from '../lab/ports.js';
import { Identity } from '../wire/identity.js';
import type { Json } from '../wire/probe.js';
import { wireRequest } from '../wire/request.js';
import { verifyResult } from '../wire/verify-result.js';
import { wssProbe } from '../wire/wss-probe.js';
import { fakeExecutor } from './fake-executor.js';
import type { FakeParts } from './fake-parts.js';

describe('the harness in an executor’s place on A2A over WebSocket', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab({ caseId: 'fake-wss', seed: '1' });
  });
  afterEach(() => lab.close());

  const open = async (change: Partial<FakeParts> = {}) => {
    const fake = await fakeExecutor(lab, 'fake', 'gate', change, { binding: 'WSS', topology: 'direct' });
    const file = join(lab.folder, 'gate.jwks');
    writeKeyFile(file, [newKey(Date.now() - 60_000)], 'private');
    const [host = '', port = ''] = fake.connect.split(':');
    const probe = wssProbe(
      new Identity('gate', fake.peer, file),
      fake.url,
      () => ({ host, port: Number(port) }),
      { subject: { ca: readFileSync(fake.ca, 'utf8'), servername: 'oab-b.lab' } },
    );
    return { fake, probe };
  };

  it('lists itself, and tells one finished task that verifies, by pages', async () => {
    const { fake, probe } = await open();
    const { supportedInterfaces } = (await probe.card()) as { supportedInterfaces: Json[] };
    assert.deepEqual(supportedInterfaces[0]?.protocolBinding, WSS_BINDING);
    const created = await probe.create(wireRequest(fake.peer, 'a task'));
    assert.ok(created.echoed);
    const id = String(created.result?.id);
    const { result } = await probe.get(id, { cursor: '0' });
    const metadata = result?.metadata as Record<string, Json>;
    assert.ok(await verifyResult(metadata[KEY.result] as Json, fake.resultKeys));
    const page = metadata[KEY.events] as { events: Json[] };
    assert.equal(page.events.length, 5);
    const refusal = await probe.subscribe(id).refusal;
    assert.equal(refusal?.error?.code, -32004);
    assert.deepEqual(
      fake.received.flatMap(({ rpc, cursor }) => (rpc === undefined ? [] : [[rpc, cursor]])),
      [
        ['SendMessage', undefined],
        ['GetTask', '0'],
        ['SubscribeToTask', undefined],
      ],
    );
  });

  it('sends what is live to the first observer', async () => {
    const { fake, probe } = await open({ live: (events) => events });
    const { result } = await probe.create(wireRequest(fake.peer, 'a task'));
    const session = probe.subscribe(String(result?.id));
    assert.equal(await session.ended, 'fin');
    assert.deepEqual(
      session.frames.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(session.strange(), []);
  });

  it('refuses as the page says', async () => {
    const { probe } = await open();
    const code = async (asked: Promise<{ error?: { code: number } }>) => (await asked).error?.code;
    assert.equal(await code(probe.get('none')), -32001);
    assert.equal(await code(probe.get('none', { extensions: false })), -32008);
    assert.equal(await code(probe.get('none', { version: null })), -32009);
    assert.equal((await probe.get('none', { token: null })).status, 4401);
  });
});
