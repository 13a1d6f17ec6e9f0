/** Public reports about relays that buffer for a reader that does not read: memory, and what it means for everybody else. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { until } from '../../src/harness/lab/deadline.js';
import { WAYS } from '../../src/harness/subjects/raw-way.js';
import type { RelayPair } from '../../src/harness/subjects/relay-pair.js';
import { fieldReport } from './field-report.js';

const READERS = 8;
const CHUNK = randomBytes(64 * 1024);
const MIB = 1024 * 1024;
/** Between the relay and a reader: to the fault injector, and on from it. */
const HOPS = 2;
/** To each reader: more than the kernel will ever hold on the hops, however far it lets a socket's buffers grow, and 8 MiB for who else is on the way. */
const CHUNKS = Math.ceil(
  (HOPS * (mostOfSocket('tcp_rmem') + mostOfSocket('tcp_wmem')) + 8 * MIB) / CHUNK.length,
);
/** Of the relay, its own working included; it is offered several times as much. */
const GROWTH_MIB = 96;
const PINGS = 40;
/** So many pings without a byte more that anybody takes: the writers are held. */
const QUIET_PINGS = 20;
/** Asks the executor's end for the flood; anything else is an echo. */
const FLOOD = Buffer.from('flood');

/** The executor's end: it writes as fast as it is taken. */
class Flood {
  taken = 0;
  held = true;

  constructor(way: Duplex) {
    const write = () => {
      while (this.taken < CHUNKS) {
        this.taken += 1;
        if (!way.write(CHUNK)) return way.once('drain', write);
      }
      this.held = false;
      return way.end();
    };
    write();
  }
}

/** Bytes: the last figure of one of the kernel's three for a socket's buffer. */
function mostOfSocket(which: 'tcp_rmem' | 'tcp_wmem'): number {
  return Number(readFileSync(`/proc/sys/net/ipv4/${which}`, 'utf8').trim().split(/\s+/)[2]);
}

const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function pings(way: Duplex, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    const back = new Promise((resolve) => way.once('data', resolve));
    way.write('ping');
    await back;
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

/** Ways whose coordinator asks for the flood and then reads nothing. */
function stuckReaders(pair: RelayPair): Promise<Duplex[]> {
  return Promise.all(
    Array.from({ length: READERS }, async (_, index) => {
      const way = await pair.open(WAYS[index % WAYS.length] ?? 'connect');
      way.on('error', () => {}).pause();
      way.write(FLOOD);
      return way;
    }),
  );
}

fieldReport(
  'OPEN-29',
  'holds whoever writes to readers that do not read, keeps little of it, and serves the others meanwhile',
  async (lab) => {
    const floods: Flood[] = [];
    const pair = await lab.relayPair();
    await pair.tunnel((way) => {
      way.once('data', (first: Buffer) => {
        if (first.equals(FLOOD)) floods.push(new Flood(way));
        else {
          way.write(first);
          way.pipe(way);
        }
      });
    }).up;
    const healthy = await pair.open('connect');
    healthy.on('error', () => {});
    const before = await pings(healthy, PINGS);
    const resident = residentMib(pair.pid());

    const readers = await stuckReaders(pair);
    let most = resident;
    let [quiet, taken] = [0, -1];
    await until(
      async () => {
        await pings(healthy, 1);
        most = Math.max(most, residentMib(pair.pid()));
        const now = floods.reduce((sum, flood) => sum + flood.taken, 0);
        quiet = floods.length === READERS && now === taken ? quiet + 1 : 0;
        taken = now;
        return quiet >= QUIET_PINGS ? true : undefined;
      },
      { ms: 20_000, what: 'writers that are held', everyMs: 5 },
    );
    const growth = most - resident;
    const figures = {
      offered_mib: (READERS * CHUNKS * CHUNK.length) / MIB,
      growth_mib: growth,
      taken_mib: (taken * CHUNK.length) / MIB,
      before_p99_ms: quantile(before, 0.99),
    };
    lab.evidence('slow-readers.json', figures);
    assert.deepEqual(
      floods.map(({ held }) => held),
      Array(READERS).fill(true),
      'a writer was never held',
    );
    assert.ok(growth <= GROWTH_MIB, `the relay grew by ${growth.toFixed(0)} MiB`);

    // While they are stuck: filling them costs the host as much whoever else is there.
    const stuck = quantile(await pings(healthy, PINGS), 0.5);

    // Held, and neither dropped nor cut: all of it comes, in order, when it is read.
    const [one, ...others] = readers;
    for (const other of others) other.destroy();
    const whole = createHash('sha256');
    for (let index = 0; index < CHUNKS; index += 1) whole.update(CHUNK);
    const read = createHash('sha256');
    for await (const chunk of one as AsyncIterable<Buffer>) read.update(chunk);
    assert.equal(read.digest('hex'), whole.digest('hex'));

    // Before and after, since other work on the host comes and goes.
    const free = Math.max(figures.before_p99_ms, quantile(await pings(healthy, PINGS), 0.99), 1);
    assert.ok(
      stuck <= 2 * free,
      `a ping took ${stuck.toFixed(1)} ms beside them, ${free.toFixed(1)} ms without`,
    );
    healthy.destroy();
  },
  45_000,
);
