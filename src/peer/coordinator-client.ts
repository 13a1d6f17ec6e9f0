/** The commands' way to a coordinator: over its socket where one is up, else in this process. */
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { DelegateError, type DelegateInput } from '../coordinator/coordinator.js';
import type { Line, ResultLine, Sink } from '../coordinator/lines.js';
import { type CoordinatorTransform, openCoordinator } from './coordinator.js';

export type Ask =
  | { command: 'delegate'; input: DelegateInput & { requestId: string } }
  | { command: 'wait' | 'cancel' | 'reconcile'; id: string };

export type Answer = ResultLine | { task_id: string | null; state: string };

/** Throws ConfigError, StoreUnusable or DelegateError. `sink` gets the lines as they come. */
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
    switch (question.command) {
      case 'delegate':
        return await coordinator.delegate(question.input, sink, signal);
      case 'wait':
        return await coordinator.wait(question.id, sink, signal);
      case 'cancel':
        return await coordinator.cancel(question.id, signal);
      case 'reconcile':
        return await coordinator.reconcile(question.id, signal);
    }
  } finally {
    open.close();
  }
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
  socket.on('error', () => undefined);
  socket.write(`${JSON.stringify(question)}\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      const message = JSON.parse(line) as Line | { end: Answer } | { error: string };
      if ('end' in message) return message.end;
      if ('error' in message) throw new DelegateError(message.error as string);
      sink(message);
    }
  } finally {
    signal.removeEventListener('abort', leave);
    socket.destroy();
  }
  throw new DelegateError('the coordinator went away; "oab-peer wait" goes on once it is back');
}
