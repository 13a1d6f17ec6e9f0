/** The executor's bindings beside its JSON-RPC one, on the same server: creates, events, replay. Ours only. */
import { randomUUID } from 'node:crypto';
import { KEY } from '../../profile/names.js';
import { idIn, type Speaker, speakers } from '../client/speakers.js';
import type { Aim, Measurement } from '../measurement.js';
import type { Side } from '../side.js';
import { perSecond } from './clock.js';

const OTHERS = ['HTTP+JSON', 'WSS', 'OAB'] as const;
const CONNECTIONS = 20;
const CREATES = 1000;
const EVENTS = 20_000;
const BYTES = 64;

type Read = (speaker: Speaker, side: Side) => Promise<number>;

interface Kind {
  what: string;
  title: string;
  unit: string;
  note: string;
  aims(binding: string): Aim[];
  read(): Read;
}

const none = (): Aim[] => [];

/** Of tasks that have ended on a side, whoever asked for them. */
const made = new WeakMap<Side, number>();

async function ended(side: Side, more: number): Promise<void> {
  const total = (made.get(side) ?? 0) + more;
  made.set(side, total);
  await side.ended(total);
}

async function creates(speaker: Speaker, side: Side): Promise<number> {
  const held = randomUUID();
  const plan = { say: 'status', count: 0, bytes: 0, held } as const;
  const requests = Array.from({ length: CREATES }, () => speaker.create(plan));
  const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => speaker.open()));
  const rate = await perSecond(async () => {
    await Promise.all(
      open.map(async ({ ask }) => {
        for (let next = requests.pop(); next !== undefined; next = requests.pop()) idIn(await ask(next));
      }),
    );
    return CREATES;
  });
  for (const connection of open) connection.close();
  await side.go(held, 0);
  await ended(side, CREATES);
  return rate;
}

const eventsOn =
  (streams: number): Read =>
  async (speaker, side) => {
    const count = EVENTS / streams;
    const prepared = Array.from({ length: streams }, () =>
      speaker.prepare({ say: 'status', count, bytes: BYTES }),
    );
    const rate = await perSecond(async () => {
      // Beside the statuses: the Task, WORKING, the terminal one.
      await Promise.all(prepared.map((run) => run(count + 3)));
      return EVENTS;
    });
    await ended(side, streams);
    return rate;
  };

/** One log for all. */
function replay(): Read {
  let taskId: string | undefined;
  return async (speaker, side) => {
    const asking = await speaker.open();
    if (taskId === undefined) {
      taskId = idIn(await asking.ask(speaker.create({ say: 'status', count: EVENTS, bytes: BYTES })));
      await ended(side, 1);
    }
    const id = taskId;
    const rate = await perSecond(async () => {
      if (speaker.replay !== undefined) await speaker.replay(id, EVENTS);
      else await pages(speaker, asking.ask, id);
      return EVENTS;
    });
    asking.close();
    return rate;
  };
}

async function pages(speaker: Speaker, ask: (request: Buffer) => Promise<string>, id: string): Promise<void> {
  let events = 0;
  for (let cursor = '0'; cursor !== ''; ) {
    const text = await ask(speaker.get(id, cursor));
    const page = text.slice(text.indexOf(`"${KEY.events}"`));
    const next = /"next":"([^"]*)"/.exec(page)?.[1];
    if (next === undefined) throw new Error(`a page without next: ${text.slice(0, 300)}`);
    events += page.split('"statusUpdate"').length - 1;
    cursor = next;
  }
  if (events < EVENTS) throw new Error(`${events} of ${EVENTS} events were read`);
}

const STREAMS = 'each on a connection of its own, all credit given at once';
const KINDS: readonly Kind[] = [
  {
    what: 'creates',
    title: `creates, ${CONNECTIONS} connections`,
    unit: 'tasks/s',
    note: 'to the answer; the agents run on and end after the clock',
    aims: none,
    read: () => creates,
  },
  ...[1, 100].map((streams) => ({
    what: String(streams),
    title: `status events, ${streams} stream${streams === 1 ? '' : 's'}`,
    unit: 'events/s',
    note: STREAMS,
    aims: (binding: string): Aim[] => (binding === 'WSS' ? [{ of: 'ratio', least: 1 }] : []),
    read: () => eventsOn(streams),
  })),
  {
    what: 'replay',
    title: `replay of ${EVENTS} status events`,
    unit: 'events/s',
    note: 'pages from a cursor; over OAB one stream from it',
    aims: none,
    read: replay,
  },
];

export const bindings: readonly Measurement[] = OTHERS.flatMap((binding) =>
  KINDS.map(({ what, title, unit, note, aims, read }) => ({
    name: `${binding.toLowerCase().replace('+', '-')}-${what}`,
    title: `${title}, ${binding} against JSON-RPC`,
    unit,
    note: `ours on both sides: ${note}`,
    aims: aims(binding),
    async open(launch) {
      const side = await launch.ours();
      const all = speakers(side);
      const reading = read();
      const arm = (label: string) => {
        const speaker = all.find((one) => one.label === label);
        if (speaker === undefined) throw new Error(`nobody speaks ${label}`);
        return { label, read: () => reading(speaker, side), usage: side.usage };
      };
      return { arms: [arm(binding), arm('JSON-RPC')], close: () => side.close() };
    },
  })),
);
