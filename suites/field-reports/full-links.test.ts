/** Public reports about tunnels whose link is full: nobody may wait for a reader that waits for a writer. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { until } from '../../src/harness/lab/deadline.js';
import { WAYS } from '../../src/harness/subjects/raw-way.js';
import { fieldReport } from './field-report.js';

const STREAMS = 32;
const BODY = randomBytes(512 * 1024);
/** More than a link takes at once, both ways: it is full while they all speak. */
const RATE_KB = 6000;
/** The longest time in which nothing at all comes back. */
const STANDSTILL_MS = 5000;

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Says the body and hears it come back; both at once, as far as each is taken. */
function echoed(way: Duplex, onBytes: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  way.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    onBytes();
  });
  way.end(BODY);
  return new Promise((resolve, reject) => {
    way.on('error', reject);
    way.once('end', () => resolve(digestOf(Buffer.concat(chunks))));
    way.once('close', () => reject(new Error(`closed after ${chunks.length} chunks`)));
  });
}

fieldReport(
  'OPEN-28',
  'echoes through a tunnel whose link is full all come back, beside one that nobody reads',
  async (lab) => {
    const pair = await lab.relayPair({ bufferBytes: 64 * 1024 });
    const narrow = await pair.links.executor.proxy();
    for (const direction of ['upstream', 'downstream'] as const)
      await narrow.addToxic({ type: 'bandwidth', direction, attributes: { rate: RATE_KB } });
    await pair.tunnel((connection) => void connection.pipe(connection)).up;

    const stuck = await pair.open('connect');
    stuck.on('error', () => {}).pause();
    stuck.write(BODY);
    const ways = await Promise.all(
      Array.from({ length: STREAMS }, (_, index) => pair.open(WAYS[index % WAYS.length] ?? 'connect')),
    );
    let [last, done] = [performance.now(), 0];
    let longest = 0;
    const all = Promise.all(
      ways.map(async (way) => {
        const digest = await echoed(way, () => {
          const now = performance.now();
          longest = Math.max(longest, now - last);
          last = now;
        });
        done += 1;
        return digest;
      }),
    );
    all.catch(() => {});
    await until(
      () => {
        assert.ok(performance.now() - last < STANDSTILL_MS, `a standstill, with ${done} of ${STREAMS} back`);
        return done === STREAMS;
      },
      { ms: 25_000, what: `all ${STREAMS} echoes`, everyMs: 20 },
    );
    assert.deepEqual(new Set(await all), new Set([digestOf(BODY)]));
    lab.evidence('longest.json', { longest });
    // The one that nobody read was held, and neither dropped nor cut.
    let read = 0;
    stuck.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    stuck.resume();
    await until(() => read === BODY.length, { ms: 10_000, what: 'what was held', everyMs: 10 });
    stuck.destroy();
  },
  45_000,
);
