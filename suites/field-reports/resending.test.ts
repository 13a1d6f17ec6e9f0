/** Public reports about a hop that sends a POST again: with a relay of ours in between it arrives once, or not at all. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { until, within } from '../../src/harness/lab/deadline.js';
import type { TapConnection } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, stateOf } from '../../src/harness/run/observe.js';
import { WAYS, type Way } from '../../src/harness/subjects/raw-way.js';
import type { RelayPair } from '../../src/harness/subjects/relay-pair.js';
import { WireEnd } from '../../src/harness/wire/http.js';
import { fieldReport } from './field-report.js';

const BODY = 'x'.repeat(10_000);
const LONG = { ms: 10_000, everyMs: 5 };

/** What the executors of the route have got: whole POSTs, each of which would have been carried out, and mere beginnings. */
interface Got {
  whole: string[];
  begun: string[];
}

/** HTTPS at the executor's end of a tunnel; a POST to `/held` is never answered. */
function executorEnd({ tls }: RelayPair, name: string, got: Got): (connection: Duplex) => void {
  const server = createServer(
    { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
    (asked, answer) => {
      got.begun.push(`${name} ${asked.url}`);
      asked.on('error', () => {});
      asked.resume().once('end', () => {
        got.whole.push(`${name} ${asked.url}`);
        if (asked.url !== '/held') answer.setHeader('Content-Length', name.length).end(name);
      });
    },
  );
  server.on('tlsClientError', () => {});
  return (connection) => void server.emit('connection', connection);
}

/** TLS to whichever executor the route leads to; tried until it leads somewhere. */
async function connected(pair: RelayPair, way: Way): Promise<TLSSocket> {
  const { ca, servername } = { ca: readFileSync(pair.tls.ca), servername: 'oab-b.lab' };
  return until(
    async () => {
      const bare = await pair.open(way).catch(() => undefined);
      if (bare === undefined) return undefined;
      const socket = tlsConnect({ socket: bare, ca, servername });
      return new Promise<TLSSocket | undefined>((resolve) => {
        socket.on('error', () => {}).once('close', () => resolve(undefined));
        socket.once('secureConnect', () => resolve(socket));
      });
    },
    { ...LONG, what: 'a way to the executor' },
  );
}

const head = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: oab-b.lab\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n`;

/** All that the client hears until it is over. */
function hears(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  // A TLS connection inside another that ends by halves does the same, and would stay open behind the other side's end.
  socket.once('end', () => socket.destroy());
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

/** Who answers a POST of its own by now: what was sent before it would be there before it. */
async function answerer(pair: RelayPair, way: Way): Promise<string> {
  const socket = await connected(pair, way);
  const answer = hears(socket);
  socket.write(head('/next') + BODY);
  const [, name = ''] =
    /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n(.*)$/.exec(await within(answer, LONG.ms, 'an answer')) ?? [];
  return name;
}

/** How much of the POST is at the executor when its tunnel is reset. */
const POINTS = ['all of it', 'its head', 'nothing'] as const;

async function resetAt(
  lab: CaseLab,
  pair: RelayPair,
  { way, point, got, tunnel }: { way: Way; point: (typeof POINTS)[number]; got: Got; tunnel: TapConnection },
  meanwhile: () => Promise<void>,
): Promise<void> {
  got.whole.length = 0;
  got.begun.length = 0;
  const socket = await connected(pair, way);
  const heard = hears(socket);
  if (point === 'all of it') {
    socket.write(head('/held') + BODY);
    await until(() => got.whole.length > 0, { ...LONG, what: 'the whole POST at the executor' });
  } else if (point === 'its head') {
    socket.write(head('/held'));
    await until(() => got.begun.length > 0, { ...LONG, what: 'the head of the POST at the executor' });
  }
  await meanwhile();
  const cut = tunnel.cut({ kind: 'reset', direction: 'downstream', at: 'now' });
  if (point !== 'all of it') socket.write(point === 'its head' ? BODY : head('/held') + BODY);
  await lab.took(cut, 'a reset of the tunnel');
  const wanted = { whole: point === 'all of it' ? 1 : 0, begun: point === 'nothing' ? 0 : 1 };
  const held = () => ({ whole: times(got.whole), begun: times(got.begun) });
  let text: string | undefined;
  void heard.then((all) => {
    text = all;
  });
  await until(() => text !== undefined || held().begun > wanted.begun, {
    ...LONG,
    what: 'the end at the client',
  });
  assert.deepEqual(held(), wanted, point);
  assert.equal(text, '', 'there is no answer');
  await answerer(pair, way);
  lab.attempt();
  assert.deepEqual(held(), wanted, point);
}

const times = (all: string[]) => all.filter((one) => one.endsWith('/held')).length;

describe('public reports: a POST that may already have run', () => {
  for (const way of WAYS)
    fieldReport('OPEN-15', `${way}: an executor that comes back does not get it again`, async (lab) => {
      const pair = await lab.relayPair();
      const got: Got = { whole: [], begun: [] };
      await pair.tunnel(executorEnd(pair, 'one', got)).up;
      for (const [index, point] of POINTS.entries()) {
        const tunnel = await pair.links.executor.tap.connection(index);
        await resetAt(lab, pair, { way, point, got, tunnel }, async () => {});
      }
    });

  fieldReport('OPEN-15', 'nor does another executor of the same route', async (lab) => {
    const pair = await lab.relayPair();
    const got: Got = { whole: [], begun: [] };
    await pair.tunnel(executorEnd(pair, 'e0', got)).up;
    for (const [index, point] of POINTS.entries()) {
      const tunnel = await pair.links.executor.tap.connection(index);
      // It stands beside the one that has the POST before that one breaks.
      await resetAt(lab, pair, { way: 'connect', point, got, tunnel }, async () => {
        await pair.tunnel(executorEnd(pair, `e${index + 1}`, got)).up;
        assert.equal(await answerer(pair, 'connect'), `e${index + 1}`);
      });
    }
  });

  fieldReport(
    'OPEN-15',
    'a create whose tunnel breaks is carried out once, and its client has one transport error',
    async (lab) => {
      const executor = await lab.executor();
      const probe = executor.probe();
      const request = lab.script(executor, 'p', ['effect once', 'hold go', 'say end']);
      // The answer waits for the end of the task, and can have no part in what the client hears.
      const options = { configuration: { returnImmediately: false } };
      const answered = probe.create(request, options).then(
        () => 'an answer',
        (error: unknown) => error,
      );
      await executor.holds.waiting(lab.scriptId('p'), 'go');
      const tap = executor.relay?.executorLink.tap;
      const [tunnel] = tap?.connections ?? [];
      assert.ok(tap !== undefined && tunnel !== undefined);
      await lab.took(
        tunnel.cut({ kind: 'reset', direction: 'upstream', at: 'now' }),
        'a reset of the tunnel',
      );
      const end = await answered;
      assert.ok(end instanceof WireEnd && end.kind !== 'late', String(end));
      await tap.connection(1);
      await executor.holds.release(lab.scriptId('p'), 'go');
      const { totalSize, tasks } = await until(
        async () => (await probe.list?.({ deadlineMs: 2000 }).catch(() => undefined))?.result,
        { ...LONG, what: 'the list' },
      );
      assert.equal(totalSize, 1);
      const [{ id = '' } = {}] = tasks as { id?: string }[];
      assert.equal(stateOf(await ended(probe, id)), 'TASK_STATE_COMPLETED');
      const ledger = await executor.holds.ledger(lab.scriptId('p'));
      const count = (kind: string) => ledger.filter((entry) => entry.kind === kind).length;
      assert.deepEqual([count('prompt'), count('effect')], [1, 1]);
    },
    30_000,
    { binding: 'JSONRPC', topology: 'dual-outbound' },
  );
});
