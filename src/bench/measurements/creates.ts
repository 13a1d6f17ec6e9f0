/** Creates per second at 20 connections, and whole tasks. */
import { randomUUID } from 'node:crypto';
import { Connection } from '../client/connection.js';
import type { Measurement } from '../measurement.js';
import type { Side } from '../side.js';
import { both } from './both.js';
import { perSecond } from './clock.js';

const CONNECTIONS = 20;
const CREATES = 2000;
const AT_ONCE = { say: 'status', count: 0, bytes: 0 } as const;

export const creates: Measurement = {
  name: 'creates',
  title: `creates, ${CONNECTIONS} connections`,
  unit: 'tasks/s',
  note: 'SendMessage with returnImmediately, to the answer; the agents run on and end after the clock. Ours also verifies a token and admits durably',
  aims: [{ of: 'ratio', least: 0.5 }],
  open: (launch) =>
    both(launch, (side) => {
      const held = randomUUID();
      return create(side, held, async () => {
        await side.go(held, 0);
      });
    }),
};

export const wholeTasks: Measurement = {
  name: 'tasks',
  title: `create to terminal state, ${CONNECTIONS} connections`,
  unit: 'tasks/s',
  note: 'the agent ends at once, the clock stops when the last task has its terminal state. Ours also verifies a token, writes four times durably and signs a result',
  aims: [],
  open: (launch) => both(launch, (side) => create(side)),
};

const made = new WeakMap<Side, number>();

/** With `held` the tasks are let go by `after`, outside the clock. */
async function create(side: Side, held?: string, after?: () => Promise<void>): Promise<number> {
  const total = (made.get(side) ?? 0) + CREATES;
  made.set(side, total);
  const plan = held === undefined ? AT_ONCE : { ...AT_ONCE, held };
  const requests = Array.from({ length: CREATES }, () => side.requests.create(plan));
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => Connection.open(side.port)),
  );
  const rate = await perSecond(async () => {
    await Promise.all(connections.map((connection) => work(connection, requests)));
    if (held === undefined) await side.ended(total);
    return CREATES;
  });
  for (const connection of connections) connection.close();
  await after?.();
  await side.ended(total);
  return rate;
}

async function work(connection: Connection, requests: Buffer[]): Promise<void> {
  for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
    const body = await connection.exchange(next);
    if (!body.includes('"result"')) throw new Error(`a create was refused: ${body.subarray(0, 300)}`);
  }
}
