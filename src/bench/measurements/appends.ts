/** Artifact appends per second on a task that holds 10,000 of them. */
import { EventStream } from '../client/stream.js';
import type { Measurement } from '../measurement.js';
import type { Side } from '../side.js';
import { both } from './both.js';
import { perSecond } from './clock.js';

const BEFORE = 10_000;
const BYTES = 32;
/** The stock server needs some 20 ms for each. */
const TIMED: Record<Side['name'], number> = { ours: 5000, stock: 100 };

export const appends: Measurement = {
  name: 'appends',
  title: 'artifact appends at 10,000 on one task',
  unit: 'events/s',
  note: `the appends after the first ${BEFORE}; the stock server is given those in its first Task`,
  aims: [{ of: 'ratio', least: 100 }],
  open: (launch) =>
    both(launch, async ({ name, port, requests }) => {
      const count = TIMED[name];
      const stream = EventStream.open(
        port,
        requests.stream({ say: 'chunk', before: BEFORE, count, bytes: BYTES }),
      );
      // The Task and WORKING come first.
      const before = name === 'ours' ? 2 + BEFORE : 2;
      await stream.reached(before);
      const from = stream.events;
      const rate = await perSecond(async () => {
        await stream.reached(before + count);
        return before + count - from;
      });
      await stream.ended(before + count + 1);
      return rate;
    }),
};
