/**
 * The coordinator that stays up: follows every open delegation, and serves the commands over a UNIX socket that only
 * its owner may open. One JSON line asks, lines answer, the last one has `end`.
 */
import { chmodSync, existsSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { DelegateError } from '../coordinator/coordinator.js';
import type { Line, ResultLine, Sink } from '../coordinator/lines.js';
import { createLog } from '../telemetry/log.js';
import { type CoordinatorTransform, type OpenCoordinator, openCoordinator } from './coordinator.js';
import type { Ask } from './coordinator-client.js';
import { untilAsked } from './until-asked.js';
import { VERSION } from './version.js';

const MAX_ASK = 4 * 1024 * 1024;

/** One delegation that is being followed: its lines go to everybody who waits for it. */
interface Following {
  sinks: Set<Sink>;
  accepted: Line | undefined;
  done: Promise<ResultLine>;
}

export async function runCoordinator(file: string, transform?: CoordinatorTransform): Promise<void> {
  const open = openCoordinator(file, transform);
  const { socket } = open.settings;
  const log = createLog(open.settings.config.peer);
  const stop = new AbortController();
  const following = new Map<string, Following>();

  /** Starts following, or joins whoever follows already: one observer per delegation. */
  const join = (id: string, begin: (sink: Sink) => Promise<ResultLine>, sink: Sink): Promise<ResultLine> => {
    const key = open.coordinator.status(id)?.requestId ?? id;
    const running = following.get(key);
    if (running !== undefined) {
      if (running.accepted !== undefined) sink(running.accepted);
      running.sinks.add(sink);
      return running.done;
    }
    const sinks = new Set([sink]);
    const entry: Following = { sinks, accepted: undefined, done: Promise.resolve(undefined as never) };
    following.set(key, entry);
    entry.done = begin((line) => {
      if (line.type === 'accepted') entry.accepted = line;
      for (const one of sinks) one(line);
    }).finally(() => following.delete(key));
    return entry.done;
  };

  await makeRoom(socket);
  const server = createServer(
    (client) =>
      void serve(client, open, join, stop.signal).catch((error: Error) =>
        log.error({ err: error }, 'a command failed'),
      ),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  for (const { requestId, result } of open.coordinator.tasks()) {
    if (result !== undefined) continue;
    join(
      requestId,
      (sink) => open.coordinator.wait(requestId, sink, stop.signal),
      () => {},
    ).catch((error: Error) =>
      log.error({ err: error, request: requestId }, 'a delegation could not be followed'),
    );
  }
  process.stdout.write(
    `${JSON.stringify({ ready: true, listen: { socket }, pid: process.pid, version: VERSION })}\n`,
  );
  await untilAsked(log);
  stop.abort();
  server.close();
  await Promise.allSettled([...following.values()].map(({ done }) => done));
  open.close();
}

type Join = (id: string, begin: (sink: Sink) => Promise<ResultLine>, sink: Sink) => Promise<ResultLine>;

async function serve(
  client: Socket,
  { coordinator }: OpenCoordinator,
  join: Join,
  stop: AbortSignal,
): Promise<void> {
  client.on('error', () => undefined);
  const say = (value: unknown) => client.write(`${JSON.stringify(value)}\n`);
  try {
    const ask = await question(client);
    switch (ask.command) {
      case 'delegate': {
        const id = ask.input.requestId ?? '';
        say({ end: await join(id, (sink) => coordinator.delegate(ask.input, sink, stop), say) });
        break;
      }
      case 'wait':
        say({ end: await join(ask.id, (sink) => coordinator.wait(ask.id, sink, stop), say) });
        break;
      case 'cancel':
        say({ end: await coordinator.cancel(ask.id, stop) });
        break;
      case 'reconcile':
        say({ end: await coordinator.reconcile(ask.id, stop) });
    }
  } catch (error) {
    say({
      error:
        error instanceof DelegateError ? error.message : 'the coordinator could not do it; its log says why',
      usage: error instanceof DelegateError,
    });
    if (!(error instanceof DelegateError)) throw error;
  } finally {
    client.end();
  }
}

async function question(client: Socket): Promise<Ask> {
  let size = 0;
  client.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_ASK) client.destroy();
  });
  for await (const line of createInterface({ input: client })) return JSON.parse(line) as Ask;
  throw new DelegateError('nothing was asked');
}

/** A socket that nobody answers on is left from a former process; one that answers is another coordinator. */
async function makeRoom(socket: string): Promise<void> {
  if (!existsSync(socket)) return;
  const alive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(socket, () => resolve(true));
    probe.once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });
  if (alive) throw new DelegateError(`${socket}: another coordinator answers there; stop it first`);
  unlinkSync(socket);
}
