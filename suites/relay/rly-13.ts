/** RLY-13: what goes in comes out, byte for byte and end for end; what was cut is never sent again; and tasks end the same. */
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { createServer, connect as tlsConnect } from 'node:tls';
import { until, within } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { WAYS, type Way } from '../../src/harness/subjects/raw-way.js';
import type { RelayPair } from '../../src/harness/subjects/relay-pair.js';
import type { Suite } from '../../src/harness/suite.js';
import { conversation, difference, play, type Side } from './conversation.js';
import { directAndRelayed } from './direct-and-relayed.js';
import { neverAgain } from './never-again.js';

/** With TLS inside, as between peers, and bare, so that whoever wants to can read it. */
const INNER = ['tls', 'bare'] as const;
const EACH = 8;
const AT_ONCE = 8;

interface Point {
  way: Way;
  inner: (typeof INNER)[number];
}

/** One connection from end to end; both ends read and write what the peers would. */
async function connected(
  bench: RelayPair,
  next: Accepted,
  { way, inner }: Point,
): Promise<Record<Side, Duplex>> {
  const through = await bench.open(way);
  const raw = await next();
  if (inner === 'bare') return { client: through, server: raw };
  const server = createServer({ cert: readFileSync(bench.tls.cert), key: readFileSync(bench.tls.key) });
  const accepted = new Promise<Duplex>((resolve) => server.once('secureConnection', resolve));
  server.emit('connection', raw);
  const client = tlsConnect({
    socket: through as never,
    ca: readFileSync(bench.tls.ca),
    servername: bench.route.replace(/:.*$/, ''),
  });
  return { client, server: await accepted };
}

/** Connections at the executor's end, in the order in which they come. */
type Accepted = () => Promise<Duplex>;

function arrivals(): { take(connection: Duplex): void; next: Accepted } {
  const waiting: Duplex[] = [];
  return {
    take: (connection) => void waiting.push(connection),
    next: () =>
      until(() => waiting.shift(), { ms: 10_000, what: 'a connection at the executor', everyMs: 1 }),
  };
}

async function bytes(lab: CaseLab): Promise<void> {
  const bench = await lab.relayPair();
  const { take, next } = arrivals();
  await bench.tunnel(take).up;
  const points = WAYS.flatMap((way) => INNER.flatMap((inner) => Array<Point>(EACH).fill({ way, inner })));
  const chosen = lab.sweep('conversations', points);
  for (let at = 0; at < chosen.length; at += AT_ONCE) {
    const playing: Promise<void>[] = [];
    for (const { index, point } of chosen.slice(at, at + AT_ONCE)) {
      lab.attempt();
      const talk = conversation(lab.random('conversation', '', index));
      // One after the other, so that it is known which is which.
      const ends = await connected(bench, next, point);
      const told = `conversation ${index} (${point.way}, ${point.inner}, ${talk.endsFirst} ends first)`;
      playing.push(
        Promise.all([play(ends.client, 'client', talk), play(ends.server, 'server', talk)]).then(
          ([client, server]) => {
            for (const [side, heard, said] of [
              ['the server', server, talk.says.client],
              ['the client', client, talk.says.server],
            ] as const) {
              const other = difference(Buffer.concat(said), heard.bytes);
              lab.expect(other === undefined, `${told}: ${side} has ${other}`);
              lab.expect(heard.end, `${told}: ${side} sees no end, but a cut`);
            }
          },
        ),
      );
    }
    await within(Promise.all(playing), 20_000, `conversations ${at} to ${at + AT_ONCE}`);
  }
}

export const suite: Suite<CaseLab> = {
  criterion: 'RLY-13',
  cases: () => [
    { name: 'bytes', estimateMs: 2000, deadlineMs: 60_000, run: bytes },
    { name: 'never-again', estimateMs: 2000, deadlineMs: 60_000, run: neverAgain },
    { name: 'direct-and-relayed', estimateMs: 7000, deadlineMs: 120_000, run: directAndRelayed },
  ],
};
