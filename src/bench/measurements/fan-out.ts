/** Events delivered per second where 100 streams watch one task. */
import { randomUUID } from 'node:crypto';
import { createTask } from '../client/create.js';
import { EventStream } from '../client/stream.js';
import type { Measurement } from '../measurement.js';
import { both } from './both.js';
import { perSecond } from './clock.js';

const STREAMS = 100;
const EVENTS = 500;

export const fanOut: Measurement = {
  name: 'fan-out',
  title: `status events, ${STREAMS} streams of one task`,
  unit: 'deliveries/s',
  aims: [{ of: 'ratio', least: 1 }],
  open: (launch) =>
    both(launch, async (side) => {
      const held = randomUUID();
      const taskId = await createTask(side, { say: 'status', count: 0, bytes: 64, held });
      const subscribe = side.requests.subscribe(taskId);
      const streams = Array.from({ length: STREAMS }, () => EventStream.open(side.port, subscribe));
      await Promise.all(streams.map((stream) => stream.reached(1)));
      // What came before the clock starts differs: the Task may or may not include WORKING.
      const before = streams.map(({ events }) => events);
      const rate = await perSecond(async () => {
        await side.go(held, EVENTS);
        await Promise.all(streams.map((stream, index) => stream.reached((before[index] ?? 0) + EVENTS)));
        return STREAMS * EVENTS;
      });
      await side.go(held, 0);
      await Promise.all(streams.map((stream) => stream.ended(EVENTS)));
      return rate;
    }),
};
