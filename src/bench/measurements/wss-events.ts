/** Status events per second over A2A on WebSocket, beside the same executor's JSON-RPC binding. Ours only. */
import { countItems } from '../client/frame-stream.js';
import { EventStream } from '../client/stream.js';
import type { Measurement } from '../measurement.js';
import { perSecond } from './clock.js';

const EVENTS = 20_000;
const BYTES = 64;
const STREAMS = 100;
const COUNT = EVENTS / STREAMS;
/** Beside the statuses: the Task, WORKING, the terminal one. */
const ITEMS = COUNT + 3;

const PLAN = { say: 'status', count: COUNT, bytes: BYTES } as const;

export const wssEvents: Measurement = {
  name: 'wss-100',
  title: `status events, ${STREAMS} streams, WSS against JSON-RPC`,
  unit: 'events/s',
  note: 'ours on both sides: each stream on a connection of its own, all credit given at once',
  aims: [{ of: 'ratio', least: 1 }],
  async open(launch) {
    const side = await launch.ours();
    const { stream, streamInFrames } = side.requests;
    if (streamInFrames === undefined) throw new Error('the executor under test speaks no WSS');
    const rate = (made: () => Buffer, run: (request: Buffer) => Promise<void>) => () => {
      const prepared = Array.from({ length: STREAMS }, made);
      return perSecond(async () => {
        await Promise.all(prepared.map(run));
        return EVENTS;
      });
    };
    return {
      arms: [
        {
          label: 'WSS',
          read: rate(
            () => streamInFrames(PLAN),
            async (request) => {
              const items = await countItems(side.port, request);
              // The Task may or may not include the events before it.
              if (items < COUNT) throw new Error(`${items} items of ${ITEMS}`);
            },
          ),
        },
        {
          label: 'JSON-RPC',
          read: rate(
            () => stream(PLAN),
            (request) => EventStream.open(side.port, request).ended(ITEMS),
          ),
        },
      ],
      close: () => side.close(),
    };
  },
};
