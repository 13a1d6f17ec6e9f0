/** The commands' way to a coordinator: over its socket where one is up, else in this process. */
import { createConnection, type Socket } from 'node:net';
import type { CancelAnswer } from '../coordinator/cancel.js';
import { DelegateError, type DelegateInput } from '../coordinator/intend.js';
import { INTERRUPTED, type Line, type ResultLine, type Sink } from '../coordinator/lines.js';
import { timeLimit } from '../coordinator/time-limit.js';
import { type CoordinatorTransform, openCoordinator } from './coordinator.js';
import { Interrupted } from './interrupted.js';
import { linesOf } from './lines-of.js';

export type Ask =
  | { command: 'delegate'; input: DelegateInput & { requestId: string } }
  | { command: 'wait' | 'cancel' | 'reconcile'; id: string };

export type Answer = ResultLine | CancelAnswer;

/** What a coordinator that stays up says to a command: lines, and at last one of these. */
export type Reply = Line | { end: Answer } | { error: string; kind: 'usage' | 'interrupted' | 'defect' };

/** How long a cancel is tried before the command says that it is recorded only. */
export const CANCEL_TRY_MS = 10_000;

/** Throws ConfigError, StoreUnusable, DelegateError or Interrupted. `sink` gets the lines as they come. */
export async function ask(
  file: string,
  question: Ask,
  sink: Sink,
  signal: AbortSignal,
  transform?: CoordinatorTransform,
): Promise<Answer> {
  const open = openCoordinator(file, transform);
  try {
    const socket = await dialSocket(open.settings.socket);
    if (socket !== undefined) return await over(socket, question, sink, signal);
    const { coordinator } = open;
    if (question.command === 'cancel') {
      const limit = timeLimit(CANCEL_TRY_MS, signal);
      return await coordinator.cancel(question.id, limit.signal).finally(limit.end);
    }
    const result =
      question.command === 'delegate'
        ? await coordinator.delegate(question.input, sink, signal)
        : question.command === 'wait'
          ? await coordinator.wait(question.id, sink, signal)
          : await coordinator.reconcile(question.id, sink, signal);
    if (result.reason === INTERRUPTED) throw interrupted(question);
    return result;
  } finally {
    open.close();
  }
}

function interrupted(question: Ask): Interrupted {
  const id = question.command === 'delegate' ? question.input.requestId : question.id;
  return new Interrupted(`interrupted; "oab-peer wait ${id}" goes on with it`);
}

function dialSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

async function over(socket: Socket, question: Ask, sink: Sink, signal: AbortSignal): Promise<Answer> {
  const leave = () => socket.destroy();
  signal.addEventListener('abort', leave);
  // The end of the lines says it too.
  socket.on('error', () => undefined);
  socket.write(`${JSON.stringify(question)}\n`);
  try {
    for await (const line of linesOf(socket, Number.MAX_SAFE_INTEGER)) {
      const reply = JSON.parse(line) as Reply;
      if ('end' in reply) return reply.end;
      if ('error' in reply) {
        if (reply.kind === 'usage') throw new DelegateError(reply.error);
        if (reply.kind === 'interrupted') throw new Interrupted(reply.error);
        throw new Error(reply.error);
      }
      sink(reply);
    }
  } finally {
    signal.removeEventListener('abort', leave);
    socket.destroy();
  }
  if (signal.aborted) throw interrupted(question);
  throw new Interrupted('the coordinator went away; "oab-peer wait" goes on once it is back');
}
