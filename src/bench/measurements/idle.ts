/** Memory that one idle subscription holds in the server. */
import { randomUUID } from 'node:crypto';
import { createTask } from '../client/create.js';
import { EventStream } from '../client/stream.js';
import type { Measurement } from '../measurement.js';
import { eachFresh } from './both.js';

const WARM_UP = 50;
const SUBSCRIPTIONS = 1000;

export const idle: Measurement = {
  name: 'idle',
  title: 'memory of an idle subscription',
  unit: 'KiB',
  note: 'heap and external bytes after a full collection, over 1000 subscriptions of one task; the socket and its HTTP parser are in it',
  aims: [],
  open: (launch) =>
    eachFresh(launch, async (side) => {
      const taskId = await createTask(side, { say: 'status', count: 0, bytes: 0, held: randomUUID() });
      const request = side.requests.subscribe(taskId);
      const open = async (count: number) => {
        const streams = Array.from({ length: count }, () => EventStream.open(side.port, request));
        await Promise.all(streams.map((stream) => stream.reached(1)));
        return streams;
      };
      const first = await open(WARM_UP);
      const before = (await side.usage()).heap;
      const streams = await open(SUBSCRIPTIONS);
      const { heap } = await side.usage();
      for (const stream of [...first, ...streams]) stream.close();
      return (heap - before) / SUBSCRIPTIONS / 1024;
    }),
};
