/** The verb `events`: every event after a cursor, with its credits, and the end that says how it came. */
import type { Caller, Following } from '../../executor/service.js';
import type { StoredEvent } from '../../journal/journal.js';
import { isTerminal } from '../../profile/lifecycle.js';
import { itemHead, streamEndText } from '../websocket/frames.js';
import type { OpenStream } from '../websocket/protocol.js';
import type { Id } from '../websocket/shapes.js';
import type { OabParts } from './protocol.js';
import { verbParams } from './shapes.js';
import { paramsOf } from './verbs.js';
import { gapText, type ItemNames, itemNames, itemText } from './wire.js';

interface Asked extends OpenStream {
  id: Id;
  params: Record<string, unknown>;
}

/** Throws only before the first item: what breaks later ends the stream as interrupted, and says nothing of the task. */
export async function followStream(
  { service, sendItems, log }: OabParts,
  caller: Caller,
  { id, params, outbox, credits, stop, cancelled }: Asked,
): Promise<void> {
  const { task_id, cursor } = paramsOf(verbParams.events, params);
  const following = await service.follow(caller, task_id, cursor, stop);
  const names = itemNames(service.describe().peer, following.snapshot);
  const head = itemHead(id);
  let last = following.after;
  const sink = {
    async send(items: readonly string[]) {
      await outbox.sendAll(items);
    },
  };
  const seen = (sequence: number) => {
    last = sequence;
  };
  try {
    await sendItems(sink, itemsOf(head, names, following, seen), credits, stop);
  } catch (error) {
    log.warn({ err: error }, 'a stream ended early');
  }
  if (stop.aborted) {
    if (cancelled()) outbox.send(streamEndText(id, 'cancelled'));
    return;
  }
  outbox.send(streamEndText(id, (await isWhole()) ? 'complete' : 'interrupted'));

  async function isWhole(): Promise<boolean> {
    try {
      const { row } = (await service.get(caller, task_id)).snapshot;
      return isTerminal(row.state) && last >= row.sequence;
    } catch {
      // Gone, or not readable now: the reader comes back and is told.
      return false;
    }
  }
}

async function* itemsOf(
  head: string,
  names: ItemNames,
  { floor, events }: Following,
  seen: (sequence: number) => void,
): AsyncGenerator<string[]> {
  if (floor !== undefined) yield [`${head}${gapText(floor)}}`];
  for await (const batch of events) {
    yield batch.map((event: StoredEvent) => `${head}${itemText(names, event)}}`);
    const last = batch.at(-1);
    if (last !== undefined) seen(last.sequence);
  }
}
