/** A link is cut in mid-request: the executor has what it had, and never gets any of it a second time. */
import type { Duplex } from 'node:stream';
import { until } from '../../src/harness/lab/deadline.js';
import type { ArmedCut, CutKind } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { WAYS, type Way } from '../../src/harness/subjects/raw-way.js';
import type { RelayPair } from '../../src/harness/subjects/relay-pair.js';

/** Towards the executor, under TLS and framing: far enough to be in the middle of a request. */
const MOST_DELIVERED = 60_000;
/** Larger than what is delivered before any cut. */
const REQUEST = 400_000;
const LONG = { ms: 10_000, everyMs: 5 };

interface Point {
  link: 'coordinator' | 'executor';
  way: Way;
  kind: CutKind;
  /** Bytes that are delivered in the executor's direction before the cut; 0: with the first byte. */
  after: number;
}

/** What came to the executor on one connection. */
interface Arrived {
  bytes: Buffer[];
  over: boolean;
}

export async function neverAgain(lab: CaseLab): Promise<void> {
  const bench = await lab.relayPair();
  const arrived: Arrived[] = [];
  await bench.tunnel((connection) => void arrived.push(record(connection))).up;
  const random = lab.random('cuts');
  const points = (['coordinator', 'executor'] as const).flatMap((link) =>
    WAYS.flatMap((way) =>
      (['reset', 'fin'] as const).flatMap((kind) =>
        [0, random.int(1, MOST_DELIVERED)].map((after): Point => ({ link, way, kind, after })),
      ),
    ),
  );
  for (const { index, point } of lab.sweep('cuts', points)) {
    lab.attempt();
    const before = arrived.length;
    const sent = lab.random('request', '', index).bytes(32).toString('hex');
    await cutInMidRequest(lab, bench, arrived, point, sent);
    const told = `after a ${point.kind} of the ${point.link}'s link (${point.way}, ${point.after} bytes later)`;
    const after = `after ${sent}`;
    const answer = await once(lab, bench, point.way, after);
    lab.expect(answer === after, `${told} the next connection is answered ${JSON.stringify(answer)}`);
    const [first, second, ...more] = arrived.slice(before);
    lab.expect(
      more.length === 0 && second !== undefined,
      `${told} ${more.length + 2} connections came, not two`,
    );
    const whole = request(sent);
    const had = Buffer.concat(first?.bytes ?? []);
    lab.expect(
      had.length < whole.length && had.equals(whole.subarray(0, had.length)),
      `${told} the executor has ${had.length} bytes that are not the first of the request`,
    );
    lab.expect(
      text(second) === after,
      `${told} the next connection brings ${JSON.stringify(text(second).slice(0, 80))}`,
    );
  }
  // Whatever came late would have come by now, and would be on a connection of its own or behind one of these.
  for (const one of arrived) lab.expect(one.over, 'a connection at the executor was left open');
}

const text = (one: Arrived | undefined) => Buffer.concat(one?.bytes ?? []).toString('latin1');

/** Nothing in it is like anything else in it, so that no part can be taken for another. */
function request(word: string): Buffer {
  const lines: string[] = [];
  for (let size = 0; size < REQUEST; size += (lines.at(-1) as string).length)
    lines.push(`${word} line ${lines.length}\n`);
  return Buffer.from(lines.join(''));
}

async function cutInMidRequest(
  lab: CaseLab,
  bench: RelayPair,
  arrived: Arrived[],
  { link, way, kind, after }: Point,
  word: string,
): Promise<void> {
  const before = arrived.length;
  const { tap } = bench.links[link];
  const client = await bench.open(way);
  client.on('error', () => {});
  client.resume();
  const gone = new Promise<void>((resolve) => client.once('close', resolve));
  client.write(request(word).subarray(0, 1000));
  await until(() => text(arrived[before]).length === 1000, {
    ...LONG,
    what: 'the first bytes at the executor',
  });
  // The coordinator's connection is its link's newest, as the tunnel is the executor's.
  const connection = tap.connections.filter(({ ended }) => ended.upstream === 'open').at(-1);
  if (connection === undefined) throw new Error(`no open connection on the link of the ${link}`);
  const direction = link === 'coordinator' ? 'upstream' : 'downstream';
  const cut: ArmedCut = connection.cut({
    kind,
    direction,
    at: { byte: connection.delivered[direction] + after },
  });
  client.end(request(word).subarray(1000));
  await lab.took(cut, `a ${kind} of the ${link}'s link`);
  await gone;
  await until(() => arrived[before]?.over, { ...LONG, what: 'the end of the connection at the executor' });
}

/** One connection that says one thing and is answered by the same; tried until the way is there again. */
async function once(lab: CaseLab, bench: RelayPair, way: Way, said: string): Promise<string> {
  const client = await until(() => bench.open(way).catch(() => undefined), { ...LONG, what: 'the way back' });
  client.end(said);
  let answer = '';
  for await (const chunk of client as AsyncIterable<Buffer>) answer += chunk.toString('latin1');
  lab.attempt();
  return answer;
}

/** Keeps what comes and gives it back after the end; whoever is cut gets nothing. */
function record(connection: Duplex): Arrived {
  const one: Arrived = { bytes: [], over: false };
  connection.on('data', (chunk: Buffer) => one.bytes.push(chunk));
  connection.once('end', () => connection.end(Buffer.concat(one.bytes)));
  connection.once('close', () => {
    one.over = true;
  });
  return one;
}
