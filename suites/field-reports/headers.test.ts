/** Public reports about header lines that a hop drops: what the coordinator's side says is what the executor's side hears. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { isTerminalFrame, taskOf } from '../../src/harness/run/observe.js';
import type { FakeExecutor } from '../../src/harness/subjects/fake-executor.js';
import { Identity } from '../../src/harness/wire/identity.js';
import type { CallOptions } from '../../src/harness/wire/probe.js';
import { reach } from '../../src/harness/wire/reach.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { BINDINGS } from '../../src/profile/names.js';
import { fieldReport } from './field-report.js';

/** In this order and spelling: one name twice, and twice in two spellings. */
const ODD: readonly [name: string, value: string][] = [
  ['Last-Event-ID', '41'],
  ['last-event-id', '42'],
  ['A2A-Extensions', 'urn:x:a'],
  ['A2A-Extensions', 'urn:x:b'],
  ['A2A-Version', '1.0'],
  ['OAB-Cursor', 'c-1'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
];
const post = (path: string, type: string) =>
  [`POST ${path} HTTP/1.1`, ['Content-Type', type], ['Content-Length', '0']] as const;
const upgrade = (subprotocol: string) =>
  [
    'GET / HTTP/1.1',
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
    ['Sec-WebSocket-Protocol', subprotocol],
  ] as const;
const HEADS = {
  JSONRPC: post('/', 'application/json'),
  'HTTP+JSON': post('/message:send', 'application/a2a+json'),
  WSS: upgrade('oab.a2a.v1'),
  OAB: upgrade('oab.delegation.v1'),
} as const;
/** In their bodies WebSocket bindings say version, extension and cursor with each request. */
const SAYS_IN_HEADERS: readonly string[] = ['JSONRPC', 'HTTP+JSON'];

/** A connection to the harness in the executor's place, through the relay; TLS to both. */
function through({ relay, tokenKey, ca, peer }: FakeExecutor): Promise<Socket> {
  if (relay === undefined || tokenKey === undefined) throw new Error('the fake executor has no relay');
  const identity = new Identity('gate', peer, tokenKey);
  const pem = readFileSync(ca, 'utf8');
  const way = {
    subject: { ca: pem, servername: 'oab-b.lab' },
    relay: {
      ca: readFileSync(relay.ca, 'utf8'),
      servername: relay.servername,
      authority: 'oab-b.lab:443',
      token: () => identity.relayToken(relay.id),
    },
  };
  return new Promise((resolve, reject) =>
    reach(way, relay.address(), (error, socket) => (error === null ? resolve(socket) : reject(error))),
  );
}

/** A coordinator process delegates over the link; every head that it wrote there, and every head that was heard. */
async function delegated(lab: CaseLab, fake: FakeExecutor) {
  const link = await lab.lab.link('coordinator-relay', fake.relay?.address() ?? { host: '', port: 0 });
  const { request_id, task, capabilities } = wireRequest(fake.peer, 'a task for the harness itself');
  const job = lab.jobTo(fake, fake.tokenKey ?? '', {
    request_id,
    task,
    capabilities,
    deadline_ms: 20_000,
    max_output_bytes: 256 * 1024,
  });
  const heardBefore = fake.received.length;
  const run = lab
    .coordinator()
    .run('delegate', { ...job, executor: { ...job.executor, connect: link.connect } });
  assert.equal((await run.result)?.outcome, 'completed', run.stderr());
  const wrote = link.tap.connections.map((one) => one.plain('upstream').toString('latin1')).join('');
  const heard = fake.received.slice(heardBefore).filter(({ headers }) => headers.length > 0);
  return { wrote, heard };
}

/** Name and value of each line, from Node's flat list. */
const linesOf = (flat: readonly string[]) =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []));

for (const binding of BINDINGS) {
  fieldReport(
    'OPEN-08',
    `${binding}: every header line comes through the relay as it was sent`,
    async (lab) => {
      const fake = await lab.fake('gate');
      const [first, ...rest] = HEADS[binding];
      const sent = [['Host', 'oab-b.lab'], ['Authorization', 'Bearer x'], ...rest, ...ODD].map(String);
      const lines = sent.map((line) => line.replace(',', ': '));
      const socket = await through(fake);
      socket.write(`${[first, ...lines].join('\r\n')}\r\n\r\n`);
      await once(socket, 'data');
      socket.destroy();
      assert.deepEqual(linesOf(fake.received[0]?.headers ?? []).map(String), sent);

      const { wrote, heard } = await delegated(lab, fake);
      assert.ok(heard.length > 0);
      for (const { headers } of heard)
        for (const [name, value] of linesOf(headers))
          assert.ok(wrote.includes(`\r\n${name}: ${value}\r\n`), `${name} was not sent like that`);
      const names = new Set(
        heard.flatMap(({ headers }) => linesOf(headers).map(([name]) => name?.toLowerCase())),
      );
      assert.ok(!names.has('last-event-id'), 'a place is told by a cursor');
      const spoken = SAYS_IN_HEADERS.includes(binding) ? ['a2a-version', 'a2a-extensions', 'oab-cursor'] : [];
      for (const name of ['authorization', ...spoken]) assert.ok(names.has(name), `${name} is missing`);
    },
    30_000,
    { binding, topology: 'dual-outbound' },
  );
}

fieldReport(
  'OPEN-08',
  'a stray Last-Event-ID changes nothing at an executor behind a relay',
  async (lab) => {
    const executor = await lab.fresh({ beside: ['JSONRPC'] });
    const probes = { a2a: executor.probe(executor.gate, executor.relay, 'JSONRPC'), oab: executor.probe() };
    const request = lab.script(executor, 's', ['chunks 4 of 10', 'hold go', 'say end']);
    const id = String(taskOf(await probes.a2a.create(request), 'the create').id);
    await executor.holds.waiting(lab.scriptId('s'), 'go');
    const stray: CallOptions = { headers: { 'Last-Event-ID': '3' } };
    await until(async () => (await probes.a2a.get(id)).text.match(/"text":"/g)?.length === 4, {
      ms: 10_000,
      what: 'the four chunks',
      everyMs: 10,
    });
    const texts = [await probes.a2a.get(id), await probes.a2a.get(id, stray)].map(({ result }) =>
      JSON.stringify(result),
    );
    assert.equal(texts[0], texts[1]);
    const pages = [{}, stray].map((more) => probes.a2a.get(id, { ...more, cursor: '0' }));
    const [plain, marked] = (await Promise.all(pages)).map(({ result }) => JSON.stringify(result));
    assert.equal(plain, marked);
    const sessions = [{}, stray].flatMap((more) => [
      probes.a2a.subscribe(id, more),
      probes.oab.events?.(id, '0', more) ?? probes.oab.subscribe(id, more),
    ]);
    for (const session of sessions) await session.until((frames) => frames.length > 0);
    await executor.holds.release(lab.scriptId('s'), 'go');
    for (const session of sessions) await session.until((frames) => frames.some(isTerminalFrame));
    const seen = sessions.map(({ frames }) => frames.map(({ json }) => json));
    assert.deepEqual([seen[2], seen[3]], [seen[0], seen[1]]);
    assert.equal(sessions[3]?.frames[0]?.sequence, 1);
  },
  30_000,
  { binding: 'OAB', topology: 'dual-outbound' },
);
