/** One stream of the OAB protocol as a session: items, credit for them, and an end that is one only with its reason. */
import { isTerminal } from '../../profile/lifecycle.js';
import type { TaskState } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import { parsedFrame, refusedUpgrade } from './frame-call.js';
import type { FrameEvents, FrameSocket } from './frame-socket.js';
import { answerOfFrame, strangeInItem } from './oab-frames.js';
import { fromOabItem } from './oab-json.js';
import type { Json, ProbeAnswer } from './probe.js';
import { StreamSession } from './stream-session.js';

const FIRST_CREDIT = 64;
const REFILL = 32;
const LEAD = 1;
const EVENTS = 2;

/** What a stream begins with: a task whose place it goes on from, or a cursor, alone or with the task asked for beside it. */
export type Begin =
  | { lead: { method: 'get' | 'create'; params: Json } }
  | { taskId: string; cursor: string; beside?: boolean };

export interface OabStream {
  session: StreamSession;
  /** The answer to the verb before the stream, or beside it. */
  task: Promise<ProbeAnswer>;
}

export interface OabCall {
  dial(events: FrameEvents): Promise<FrameSocket>;
  frame(id: number, method: string, params: Json): Json;
  /** false: no credit beyond the first is given. */
  credit: boolean;
}

export function stateOfTask(task: Json): TaskState {
  return String((task.status as Json | undefined)?.state) as TaskState;
}

export function placeOfTask(task: Json): { sequence: number; cursor: string } {
  return (task.metadata as Json)[KEY.event] as { sequence: number; cursor: string };
}

export function openOabStream({ dial, frame, credit }: OabCall, begin: Begin): OabStream {
  let socket: FrameSocket | undefined;
  let received = 0;
  let granted = FIRST_CREDIT;
  let last: TaskState | undefined;
  let settle: (answer: ProbeAnswer) => void = () => {};
  const task = new Promise<ProbeAnswer>((resolve) => {
    settle = resolve;
  });
  const session = new StreamSession({
    close: () => socket?.close(),
    pause: () => socket?.pause(),
    resume: () => socket?.resume(),
  });
  const follow = (taskId: string, cursor: string) =>
    socket?.send(frame(EVENTS, 'events', { task_id: taskId, cursor }));
  const refuse = (answer: ProbeAnswer) => {
    session.refuse(answer);
    socket?.close();
  };

  const led = (text: string) => {
    const answer = answerOfFrame(text, 'task');
    settle(answer);
    if (!('lead' in begin)) return;
    if (answer.result === undefined) return refuse(answer);
    session.opened();
    session.item({ task: answer.result });
    last = stateOfTask(answer.result);
    follow(String(answer.result.id), placeOfTask(answer.result).cursor);
  };

  const item = (result: Json) => {
    session.opened();
    received += 1;
    if (received > granted) session.note('an item beyond the credit that was given');
    for (const strange of strangeInItem(result)) session.note(strange);
    const event = fromOabItem(result);
    if ('statusUpdate' in event) last = stateOfTask(event.statusUpdate as Json);
    session.item(event);
    if (!credit || received % REFILL !== 0) return;
    granted += REFILL;
    socket?.send({ jsonrpc: '2.0', method: '$/credit', params: { id: EVENTS, events: REFILL } });
  };

  const ended = (reason: unknown) => {
    session.opened();
    const terminal = last !== undefined && isTerminal(last);
    if (terminal !== (reason === 'complete') && received > 0)
      session.note(`an end that is ${String(reason)} behind ${last ?? 'no status'}`);
    session.end(reason === 'complete' ? 'fin' : 'cut');
    // What was asked beside the stream may still be answered.
    if ('lead' in begin || begin.beside !== true) socket?.close();
  };

  const take = (text: string) => {
    const json = parsedFrame(text);
    const { id, method, result, error, params } = json as { params?: Json } & Json;
    if (json.jsonrpc !== '2.0') session.note(text);
    if (id === LEAD) led(text);
    else if (error !== undefined) refuse(answerOfFrame(text));
    else if (method === '$/streamEnd' && params?.id === EVENTS) ended(params.reason);
    else if (id === EVENTS && typeof result === 'object' && result !== null) item(result as Json);
    else session.note(text);
  };

  dial({
    open() {
      if ('lead' in begin) socket?.send(frame(LEAD, begin.lead.method, begin.lead.params));
      else {
        follow(begin.taskId, begin.cursor);
        if (begin.beside === true) socket?.send(frame(LEAD, 'get', { task_id: begin.taskId }));
      }
    },
    refused: (status, text) => refuse(refusedUpgrade(status, text)),
    frame: take,
    ping: () => session.beat(),
    // A connection that ends is no end of its streams.
    ended(kind) {
      session.end(kind === 'fin' ? 'cut' : kind);
      settle({ status: 0, echoed: false, text: '' });
    },
  }).then(
    (opened) => {
      socket = opened;
    },
    () => session.end('cut'),
  );
  return { session, task };
}
