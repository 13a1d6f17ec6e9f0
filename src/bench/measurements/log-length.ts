/** CPU per event where the log is a million long, against where it is a thousand long. Ours only. */
import { randomUUID } from 'node:crypto';
import { createTask } from '../client/create.js';
import { EventStream } from '../client/stream.js';
import type { Measurement } from '../measurement.js';
import type { Side } from '../side.js';

const SHORT = 1000;
const LONG = 1_000_000;
const TIMED = 4000;
const BYTES = 64;

export const logLength: Measurement = {
  name: 'log-length',
  title: 'CPU per event at 10^6 against 10^3',
  unit: 'µs/event',
  note: `ours only: ${TIMED} statuses appended and streamed to one observer, CPU of the server's process; the log of 10^6 is the same one each round and ends at that length`,
  aims: [{ of: 'ratio', most: 1.25 }],
  async open(launch, rounds) {
    const side = await launch.ours();
    // One reading more than rounds is the warm-up; the executor's own ceiling of events is 10^6.
    const long = await opened(side, LONG - (rounds + 1) * TIMED - 100);
    return {
      arms: [
        { label: '10^6', read: () => cost(side, long) },
        {
          label: '10^3',
          async read() {
            const short = await opened(side, SHORT);
            const read = await cost(side, short);
            await side.go(short.held, 0);
            await short.stream.ended(SHORT);
            return read;
          },
        },
      ],
      close: () => side.close(),
    };
  },
};

interface Watched {
  held: string;
  stream: EventStream;
}

/** A task with a log of that length, and one observer that has caught up with it. */
async function opened(side: Side, length: number): Promise<Watched> {
  const held = randomUUID();
  const taskId = await createTask(side, { say: 'status', count: 0, bytes: BYTES, held });
  const stream = EventStream.open(side.port, side.requests.subscribe(taskId));
  await stream.reached(1);
  const watched = { held, stream };
  await say(side, watched, length);
  return watched;
}

async function say(side: Side, { held, stream }: Watched, count: number): Promise<void> {
  const before = stream.events;
  await side.go(held, count);
  await stream.reached(before + count);
}

async function cost(side: Side, watched: Watched): Promise<number> {
  const { cpuAfter } = await side.usage();
  await say(side, watched, TIMED);
  return ((await side.usage()).cpuBefore - cpuAfter) / TIMED;
}
