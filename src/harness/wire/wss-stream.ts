/** One stream of the A2A binding over WebSocket as a session: items, credit for them, and an end that is one only with its reason. */
import { isTerminal } from '../../profile/lifecycle.js';
import type { TaskState } from '../../profile/model.js';
import type { FrameEvents, FrameSocket } from './frame-socket.js';
import type { Json, ProbeAnswer } from './probe.js';
import { StreamSession } from './stream-session.js';

const FIRST_CREDIT = 64;
const REFILL = 32;
const ID = 1;

export interface WssStreamCall {
  dial(events: FrameEvents): Promise<FrameSocket>;
  /** Known once it is dialled. */
  request(): Json;
  answerOf(text: string): ProbeAnswer;
  refused(status: number, text: string): ProbeAnswer;
  /** false: no credit beyond the first is given. */
  credit: boolean;
}

export function openWssStream({ dial, request, answerOf, refused, credit }: WssStreamCall): StreamSession {
  let socket: FrameSocket | undefined;
  let received = 0;
  let granted = FIRST_CREDIT;
  let last: TaskState | undefined;
  const session = new StreamSession({
    close: () => socket?.close(),
    pause: () => socket?.pause(),
    resume: () => socket?.resume(),
  });
  const refuse = (answer: ProbeAnswer) => {
    session.refuse(answer);
    socket?.close();
  };

  const item = (result: Json) => {
    session.opened();
    received += 1;
    if (received > granted) session.note('an item beyond the credit that was given');
    const { task, statusUpdate } = result as Record<string, { status?: { state?: TaskState } } | undefined>;
    last = (task ?? statusUpdate)?.status?.state ?? last;
    if ((task !== undefined) !== (received === 1)) session.note('a Task that is not the first item');
    session.item(result);
    if (!credit || received % REFILL !== 0) return;
    granted += REFILL;
    socket?.send({ jsonrpc: '2.0', method: '$/credit', params: { id: ID, events: REFILL } });
  };

  const ended = (reason: unknown) => {
    session.opened();
    const terminal = last !== undefined && isTerminal(last);
    if (terminal !== (reason === 'complete'))
      session.note(`an end that is ${String(reason)} behind ${last ?? 'no status'}`);
    session.end(reason === 'complete' ? 'fin' : 'cut');
    socket?.close();
  };

  const take = (text: string) => {
    const json = parsed(text);
    const { id, method, result, error, params } = json as { params?: Json } & Json;
    const strange = Object.keys(json).filter((name) => !MEMBERS.has(name));
    if (json.jsonrpc !== '2.0' || strange.length > 0) session.note(text);
    if (error !== undefined) {
      if (received > 0) session.note(text);
      refuse(answerOf(text));
    } else if (method === '$/streamEnd' && params?.id === ID) ended(params.reason);
    else if (id === ID && typeof result === 'object' && result !== null) item(result as Json);
    else session.note(text);
  };

  dial({
    open: () => socket?.send(request()),
    refused: (status, text) => refuse(refused(status, text)),
    frame: take,
    ping: () => session.beat(),
    // A connection that ends is no end of its streams.
    ended: (kind) => session.end(kind === 'fin' ? 'cut' : kind),
  }).then(
    (opened) => {
      socket = opened;
    },
    () => session.end('cut'),
  );
  return session;
}

const MEMBERS = new Set(['jsonrpc', 'id', 'result', 'error', 'serviceParameters', 'method', 'params']);

function parsed(text: string): Json {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : {};
  } catch {
    // No JSON shows by having nothing in it.
    return {};
  }
}
