/**
 * The coordinator that stays up: follows every open delegation, and serves the commands over a UNIX socket that only
 * its owner may open. One JSON line asks, lines answer, the last one has `end` or `error`.
 */
import { existsSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { z } from 'zod';
import { DelegateError } from '../coordinator/intend.js';
import { INTERRUPTED, type ResultLine, type Sink } from '../coordinator/lines.js';
import { timeLimit } from '../coordinator/time-limit.js';
import { createLog } from '../telemetry/log.js';
import { ConfigError } from './config/config-error.js';
import { type CoordinatorTransform, type OpenCoordinator, openCoordinator } from './coordinator.js';
import { type Ask, CANCEL_TRY_MS, type Reply } from './coordinator-client.js';
import { Followings } from './followings.js';
import { linesOf } from './lines-of.js';
import { untilAsked } from './until-asked.js';
import { VERSION } from './version.js';

const MAX_ASK = 4 * 1024 * 1024;
/** A command that stops reading is let go beyond this; `wait` brings it back. */
const MAX_UNREAD = 16 * 1024 * 1024;

const asked = z.discriminatedUnion('command', [
  z.object({ command: z.literal('delegate'), input: z.looseObject({ requestId: z.string() }) }),
  z.object({ command: z.enum(['wait', 'cancel', 'reconcile']), id: z.string() }),
]);

/** Runs until SIGTERM or SIGINT; throws ConfigError or StoreUnusable before anything is sent. */
export async function runCoordinator(file: string, transform?: CoordinatorTransform): Promise<void> {
  const open = openCoordinator(file, transform);
  const { coordinator } = open;
  const { socket } = open.settings;
  const log = createLog(open.settings.config.peer);
  const stop = new AbortController();
  const followings = new Followings((id) => coordinator.status(id)?.requestId ?? id);

  await makeRoom(socket);
  const server = createServer((client) => {
    serve(client, open, followings, stop.signal).catch((error: Error) =>
      log.error({ err: error }, 'a command failed'),
    );
  });
  await listen(server, socket);
  for (const { requestId, result } of coordinator.tasks()) {
    if (result !== undefined) continue;
    followings
      .join(
        requestId,
        (sink) => coordinator.wait(requestId, sink, stop.signal),
        () => {},
      )
      .catch((error: Error) =>
        log.error({ err: error, request: requestId }, 'a delegation could not be followed'),
      );
  }
  process.stdout.write(
    `${JSON.stringify({ ready: true, listen: { socket }, pid: process.pid, version: VERSION })}\n`,
  );
  await untilAsked(log);
  stop.abort();
  server.close();
  await followings.settled();
  open.close();
}

async function serve(
  client: Socket,
  { coordinator }: OpenCoordinator,
  followings: Followings,
  stop: AbortSignal,
): Promise<void> {
  // A command that went away is seen by `close`; its delegation goes on.
  client.on('error', () => undefined);
  const say = (reply: Reply) => {
    client.write(`${JSON.stringify(reply)}\n`);
    if (client.writableLength > MAX_UNREAD) client.destroy();
  };
  const follow = (id: string, begin: (sink: Sink) => Promise<ResultLine>) => {
    client.once('close', () => followings.leave(id, say));
    return followings.join(id, begin, say);
  };
  try {
    const ask = await question(client);
    // Only what is read shows its end.
    client.resume();
    if (ask.command === 'cancel') {
      const limit = timeLimit(CANCEL_TRY_MS, stop);
      say({ end: await coordinator.cancel(ask.id, limit.signal).finally(limit.end) });
      return;
    }
    const id = ask.command === 'delegate' ? coordinator.record(ask.input) : ask.id;
    const result = await follow(id, (sink) =>
      ask.command === 'reconcile' ? coordinator.reconcile(id, sink, stop) : coordinator.wait(id, sink, stop),
    );
    if (result.reason !== INTERRUPTED) say({ end: result });
    else say({ error: `the coordinator stops; "oab-peer wait ${id}" goes on with it`, kind: 'interrupted' });
  } catch (error) {
    if (error instanceof DelegateError) say({ error: error.message, kind: 'usage' });
    else {
      say({ error: 'the coordinator could not do it; its log says why', kind: 'defect' });
      throw error;
    }
  } finally {
    client.end();
  }
}

async function question(client: Socket): Promise<Ask> {
  for await (const line of linesOf(client, MAX_ASK)) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new DelegateError('the question is no JSON');
    }
    // The input itself is checked as the request that it becomes.
    if (!asked.safeParse(value).success)
      throw new DelegateError('the question has none of the commands: delegate, wait, cancel, reconcile');
    return value as Ask;
  }
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
  if (alive) throw new ConfigError([`${socket}: another coordinator answers there; stop it first`]);
  unlinkSync(socket);
}

/** Whoever can open the socket can delegate: its owner alone, from the moment it exists. */
async function listen(server: Server, socket: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, resolve);
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ConfigError([
      `${socket}: cannot listen there (${code}); use a shorter or writable path for store`,
    ]);
  } finally {
    process.umask(before);
  }
}
