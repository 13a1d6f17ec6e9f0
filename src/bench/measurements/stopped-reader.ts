/** Memory that the server holds for a reader that stops reading. */
import { randomUUID } from 'node:crypto';
import { createTask } from '../client/create.js';
import { EventStream } from '../client/stream.js';
import type { Measurement } from '../measurement.js';
import type { Side } from '../side.js';
import { eachFresh } from './both.js';

const READERS = 4;
/** 32 MB: several times what the kernel takes on both ends of a connection. */
const EVENTS = 32_000;
const BYTES = 1000;

export const stoppedReader: Measurement = {
  name: 'stopped-reader',
  title: 'memory of a reader that stops',
  unit: 'MiB',
  note: `heap and external bytes per reader, of ${READERS} that stop after the Task while 32 MB of events come; without them the same events come first`,
  aims: [{ of: 'first', most: 1 }],
  open: (launch) =>
    eachFresh(launch, async (side) => {
      // The same with a reader that reads, so that warm code and caches are in the first figure.
      await talk(side, 1, false);
      const before = (await side.usage()).heap;
      const { streams, finish } = await talk(side, READERS, true);
      const { heap } = await side.usage();
      for (const stream of streams) stream.close();
      await finish();
      return (heap - before) / READERS / 1024 / 1024;
    }),
};

/** One task says everything, before so many readers, and another reader that has read it all. */
async function talk(side: Side, readers: number, stop: boolean) {
  const held = randomUUID();
  const taskId = await createTask(side, { say: 'status', count: 0, bytes: BYTES, held });
  const request = side.requests.subscribe(taskId);
  const healthy = EventStream.open(side.port, request);
  await healthy.reached(1);
  const streams = Array.from({ length: readers }, () => EventStream.open(side.port, request));
  await Promise.all(streams.map((stream) => stream.reached(1)));
  if (stop) for (const stream of streams) stream.stop();
  await side.go(held, EVENTS);
  await healthy.reached(EVENTS);
  const finish = async () => {
    await side.go(held, 0);
    await healthy.ended(EVENTS);
  };
  if (!stop) {
    await Promise.all(streams.map((stream) => stream.reached(EVENTS)));
    await finish();
  }
  return { streams, finish };
}
