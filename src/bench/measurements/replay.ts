/** Events read again per second: ours from cursor "0" to the end of the log, page by page. */

import { KEY } from '../../profile/names.js';
import { Connection } from '../client/connection.js';
import { createTask } from '../client/create.js';
import type { Measurement } from '../measurement.js';
import type { Side } from '../side.js';
import { both } from './both.js';
import { perSecond } from './clock.js';

const EVENTS = 20_000;
const BYTES = 64;

export const replay: Measurement = {
  name: 'replay',
  title: `replay of ${EVENTS} status events`,
  unit: 'events/s',
  note: 'ours: GetTask with OAB-Cursor, every event with its sequence and cursor; the stock server can replay no event (resubscribe gives the Task alone, GetTask too): compared is one GetTask whose history holds as many status messages',
  aims: [],
  open(launch) {
    const tasks = new Map<Side, string>();
    return both(launch, async (side) => {
      const taskId = tasks.get(side) ?? (await prepare(side));
      tasks.set(side, taskId);
      const connection = await Connection.open(side.port);
      const rate = await perSecond(async () =>
        side.name === 'ours' ? pages(side, connection, taskId) : history(side, connection, taskId),
      );
      connection.close();
      return rate;
    });
  },
};

async function prepare(side: Side): Promise<string> {
  const taskId = await createTask(side, { say: 'status', before: EVENTS, count: 0, bytes: BYTES });
  await side.ended(1);
  return taskId;
}

/** Reads only what it must to go on, as text: parsing is the client's cost. */
async function pages({ requests }: Side, connection: Connection, taskId: string): Promise<number> {
  let events = 0;
  for (let cursor = '0'; cursor !== ''; ) {
    const text = (await connection.exchange(requests.get(taskId, cursor))).toString('latin1');
    const page = text.slice(text.indexOf(`"${KEY.events}"`));
    const next = /"next":"([^"]*)"/.exec(page)?.[1];
    if (next === undefined) throw new Error(`a page without next: ${text.slice(0, 300)}`);
    events += page.split('"statusUpdate"').length - 1;
    cursor = next;
  }
  return atLeast(events);
}

async function history({ requests }: Side, connection: Connection, taskId: string): Promise<number> {
  const text = (await connection.exchange(requests.get(taskId))).toString('latin1');
  return atLeast(text.split('"ROLE_AGENT"').length - 1);
}

function atLeast(events: number): number {
  if (events < EVENTS) throw new Error(`${events} of ${EVENTS} events were read`);
  return events;
}
