/** Unary requests by the four ways: latency, rate, and bytes where the answer is large. */
import { randomUUID } from 'node:crypto';
import { Connection } from '../client/connection.js';
import { taskOn } from '../client/create.js';
import type { Measurement, Opened } from '../measurement.js';
import type { Plan } from '../plan.js';
import type { Launch } from '../side.js';
import { spread } from '../stats.js';
import type { Way, Ways } from '../ways/ways.js';
import { perSecond } from './clock.js';
import { onWays } from './ways.js';

const SEQUENTIAL = 500;
const CONNECTIONS = 20;
const REQUESTS = 5000;
/** Just under the megabyte of output that the request allows. */
const LARGE: Plan = { say: 'chunk', count: 20, bytes: 50_000 };
const LARGE_CONNECTIONS = 4;
const LARGE_ANSWERS = 120;

export const relayUnary: Measurement = {
  name: 'relay-unary',
  title: 'unary latency, p50',
  unit: 'µs',
  note: `${SEQUENTIAL} GetTask one after the other on one connection; smaller is better`,
  aims: [],
  open: (launch) =>
    asked(launch, { say: 'status', count: 0, bytes: 0, held: randomUUID() }, async (way, request) => {
      const connection = new Connection(await way.dial());
      const taken: number[] = [];
      for (let count = 0; count < SEQUENTIAL; count += 1) {
        const began = performance.now();
        await exchanged(connection, request);
        taken.push((performance.now() - began) * 1000);
      }
      connection.close();
      return spread(taken).median;
    }),
};

export const relayRequests: Measurement = {
  name: 'relay-requests',
  title: `requests, ${CONNECTIONS} connections`,
  unit: 'requests/s',
  note: 'GetTask of one task on connections that stand',
  aims: [{ of: 'ratio', least: 0.9, over: 'nginx stream' }],
  open: (launch) =>
    asked(launch, { say: 'status', count: 0, bytes: 0, held: randomUUID() }, async (way, request) => {
      const { rate } = await parallel(way, request, CONNECTIONS, REQUESTS);
      return rate;
    }),
};

export const relayBytes: Measurement = {
  name: 'relay-bytes',
  title: `answers of a megabyte, ${LARGE_CONNECTIONS} connections`,
  unit: 'MB/s',
  note: 'GetTask of a task with a megabyte of output',
  aims: [],
  open: (launch) =>
    asked(launch, LARGE, async (way, request) => {
      const { rate, bytes } = await parallel(way, request, LARGE_CONNECTIONS, LARGE_ANSWERS);
      if (bytes < LARGE.count * LARGE.bytes) throw new Error(`an answer of ${bytes} bytes`);
      return (rate * bytes) / 1e6;
    }),
};

/** Requests for one task, which is made first. */
async function asked(
  launch: Launch,
  plan: Plan,
  read: (way: Way, request: Buffer) => Promise<number>,
): Promise<Opened> {
  let taskId: string | undefined;
  return onWays(launch, async (way, ways) => {
    taskId ??= await prepare(way, ways, plan);
    return read(way, ways.requests.get(taskId));
  });
}

async function prepare(way: Way, { requests, executor }: Ways, plan: Plan): Promise<string> {
  const taskId = await taskOn(new Connection(await way.dial()), requests, plan);
  if (plan.held === undefined) await executor.ended(1);
  return taskId;
}

/** Requests per second, and the bytes of an answer's body. */
async function parallel(
  way: Way,
  request: Buffer,
  connections: number,
  total: number,
): Promise<{ rate: number; bytes: number }> {
  const open = await Promise.all(
    Array.from({ length: connections }, async () => new Connection(await way.dial())),
  );
  let left = total;
  let bytes = 0;
  const work = async (connection: Connection) => {
    while (left > 0) {
      left -= 1;
      bytes = (await exchanged(connection, request)).length;
    }
  };
  const rate = await perSecond(async () => {
    await Promise.all(open.map(work));
    return total;
  });
  for (const connection of open) connection.close();
  return { rate, bytes };
}

async function exchanged(connection: Connection, request: Buffer): Promise<Buffer> {
  const body = await connection.exchange(request);
  if (!body.includes('"result"')) throw new Error(`a request was refused: ${body.subarray(0, 300)}`);
  return body;
}
