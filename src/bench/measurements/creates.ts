/** Creates per second at 20 connections. */
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
  note: 'SendMessage with returnImmediately, until the last task has its terminal state; ours also verifies a token, admits durably and signs a result',
  aims: [{ of: 'ratio', least: 0.5 }],
  open(launch) {
    const made = new Map<Side, number>();
    return both(launch, async (side) => {
      const total = (made.get(side) ?? 0) + CREATES;
      made.set(side, total);
      const requests = Array.from({ length: CREATES }, () => side.requests.create(AT_ONCE));
      const connections = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => Connection.open(side.port)),
      );
      const rate = await perSecond(async () => {
        await Promise.all(connections.map((connection) => work(connection, requests)));
        await side.ended(total);
        return CREATES;
      });
      for (const connection of connections) connection.close();
      return rate;
    });
  },
};

async function work(connection: Connection, requests: Buffer[]): Promise<void> {
  for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
    const body = await connection.exchange(next);
    if (!body.includes('"result"')) throw new Error(`a create was refused: ${body.subarray(0, 300)}`);
  }
}
