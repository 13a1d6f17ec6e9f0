/** A stream of the binding: the Task, then its events, with credits, and the end that says how it came. */
import { isTaskState, isTerminal } from '../../profile/lifecycle.js';
import type { EventStream } from '../a2a/operations.js';
import { itemHead, streamEndText } from '../websocket/frames.js';
import type { OpenStream } from '../websocket/protocol.js';
import type { Id } from '../websocket/shapes.js';
import { ECHO } from './names.js';
import type { WssParts } from './protocol.js';

const ECHO_TEXT = `,"serviceParameters":${JSON.stringify(ECHO)}`;

/** Throws only before the first item: what breaks later ends the stream as interrupted, and says nothing of the task. */
export async function followStream(
  { sendItems, log }: Pick<WssParts, 'sendItems' | 'log'>,
  id: Id,
  open: () => Promise<EventStream>,
  { outbox, credits, stop, cancelled }: OpenStream,
): Promise<void> {
  const { first, rest } = await open();
  const head = itemHead(id);
  let last = first;
  async function* items(): AsyncGenerator<string[]> {
    yield [`${head}${first}${ECHO_TEXT}}`];
    for await (const batch of rest) {
      yield batch.map((text) => `${head}${text}}`);
      last = batch.at(-1) ?? last;
    }
  }
  try {
    await sendItems({ send: (texts) => outbox.sendAll(texts) }, items(), credits, stop);
  } catch (error) {
    log.warn({ err: error }, 'a stream ended early');
  }
  if (!stop.aborted) outbox.send(streamEndText(id, endsTask(last) ? 'complete' : 'interrupted'));
  else if (cancelled()) outbox.send(streamEndText(id, 'cancelled'));
}

/** Looked at once in a stream: whether its last item is the task's end. */
function endsTask(text: string): boolean {
  const { task, statusUpdate } = JSON.parse(text) as Record<string, { status?: { state?: unknown } }>;
  const state = (task ?? statusUpdate)?.status?.state;
  return typeof state === 'string' && isTaskState(state) && isTerminal(state);
}
