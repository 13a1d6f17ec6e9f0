/** Status events per second on so many streams, each of a task of its own, from the request to the end of the stream. */
import { EventStream } from '../client/stream.js';
import type { Aim, Measurement } from '../measurement.js';
import { both } from './both.js';
import { perSecond } from './clock.js';

const EVENTS = 20_000;
const BYTES = 64;

function statusOn(name: string, streams: number, aim: Aim): Measurement {
  return {
    name,
    title: `status events, ${streams} stream${streams === 1 ? '' : 's'}`,
    unit: 'events/s',
    aims: [aim],
    open: (launch) =>
      both(launch, ({ port, requests }) => {
        const count = EVENTS / streams;
        const prepared = Array.from({ length: streams }, () =>
          requests.stream({ say: 'status', count, bytes: BYTES }),
        );
        return perSecond(async () => {
          // Beside the statuses: the Task, WORKING, the terminal one.
          await Promise.all(prepared.map((request) => EventStream.open(port, request).ended(count + 3)));
          return EVENTS;
        });
      }),
  };
}

export const statusOnOne = statusOn('status-1', 1, { of: 'ratio', least: 0.5 });
export const statusOnHundred = statusOn('status-100', 100, { of: 'ratio', least: 1 });
