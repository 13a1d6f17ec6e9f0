/** Status events by the four ways: latency of single ones, rates on one stream and on many. */
import { randomUUID } from 'node:crypto';
import { Connection } from '../client/connection.js';
import { taskOn } from '../client/create.js';
import { EventStream } from '../client/stream.js';
import type { Aim, Measurement } from '../measurement.js';
import type { ServerProcess } from '../server-process.js';
import { spread } from '../stats.js';
import { perSecond } from './clock.js';
import { onWays } from './ways.js';

const SINGLE = 300;
const EVENTS = 20_000;
const BYTES = 64;

export const relayEventLatency: Measurement = {
  name: 'relay-event-latency',
  title: 'event latency, p50',
  unit: 'µs',
  note: `${SINGLE} statuses one after the other, each from the word to the agent to its arrival: that word by IPC and the durable write are in it on every way; smaller is better`,
  aims: [],
  open: (launch) =>
    onWays(launch, async (way, { executor, requests }) => {
      const held = randomUUID();
      const plan = { say: 'status', count: 0, bytes: BYTES, held } as const;
      const taskId = await taskOn(new Connection(await way.dial()), requests, plan);
      const stream = EventStream.over(await way.dial(), requests.subscribe(taskId));
      // One that is waited for before the clock starts: the Task may or may not include WORKING.
      await stream.reached(1);
      await executor.go(held, 1);
      await stream.reached(2);
      const taken: number[] = [];
      for (let count = 0; count < SINGLE; count += 1) {
        const next = stream.events + 1;
        const began = performance.now();
        void executor.go(held, 1);
        await stream.reached(next);
        taken.push((performance.now() - began) * 1000);
      }
      await executor.go(held, 0);
      await stream.ended(SINGLE);
      return spread(taken).median;
    }),
};

const made = new WeakMap<ServerProcess, number>();

function eventsOn(streams: number, aims: readonly Aim[]): Measurement {
  return {
    name: `relay-events-${streams}`,
    title: `status events, ${streams} stream${streams === 1 ? '' : 's'}`,
    unit: 'events/s',
    note: 'each stream of a task of its own, on a connection that stands, from the request to the end of the stream',
    aims,
    open: (launch) =>
      onWays(launch, async (way, { executor, requests }) => {
        const count = EVENTS / streams;
        const ready = await Promise.all(
          Array.from({ length: streams }, async () => ({
            socket: await way.dial(),
            request: requests.stream({ say: 'status', count, bytes: BYTES }),
          })),
        );
        const rate = await perSecond(async () => {
          // Beside the statuses: the Task, WORKING, the terminal one.
          await Promise.all(
            ready.map(({ socket, request }) => EventStream.over(socket, request).ended(count + 3)),
          );
          return EVENTS;
        });
        const total = (made.get(executor) ?? 0) + streams;
        made.set(executor, total);
        await executor.ended(total);
        return rate;
      }),
  };
}

export const relayEventsOnOne = eventsOn(1, []);
export const relayEventsOnHundred = eventsOn(100, [{ of: 'ratio', least: 0.8, over: 'nginx stream' }]);
