/** One connection, from its upgrade to its end: who asks, what is open, what is refused. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Caller, DelegationService } from '../../executor/service.js';
import type { Authenticator, Credentials } from '../../identity/ports.js';
import { ProfileError } from '../../profile/errors.js';
import type { Log } from '../../telemetry/log.js';
import { recordRefusal } from '../record-refusal.js';
import { type Fault, FrameFault } from './frames.js';
import { CLOSE, MAX_OPEN_IDS } from './names.js';
import { openOutbox } from './outbox.js';
import type { Asked, Protocol } from './protocol.js';
import type { Id } from './shapes.js';
import { Credits } from './stream.js';

export interface ConnectionParts {
  service: DelegationService;
  authenticator: Authenticator;
  now(): number;
  log: Log;
}

/** Who opened a connection: each of its requests must be the same peer's. */
export interface Opened {
  caller: Caller;
  /** Of the connection itself: its certificate, never its first token. */
  certificate: Credentials['certificate'];
  source: string;
}

interface Stream {
  credits: Credits;
  /** By `$/cancelStream`. */
  cancelled: boolean;
  stop: AbortController;
}

/** Serves an open WebSocket until it ends. */
export function serveConnection(
  parts: ConnectionParts,
  protocol: Protocol,
  ws: WebSocket,
  socket: Duplex,
  opened: Opened,
): void {
  const { service, log } = parts;
  const { errorText } = protocol;
  const outbox = openOutbox(ws, socket);
  const open = new Map<Id, Stream | 'unary'>();
  const { source } = opened;
  const gone = new AbortController();
  let refused = false;

  const closeWith = (code: number, why: string) => {
    refused = true;
    log.warn({ peer: opened.caller.peer, code }, `a connection is closed: ${why}`);
    outbox.close(code, why);
  };

  const callerOf = async (token: string | undefined): Promise<Caller | undefined> => {
    const { certificate } = opened;
    const { caller, reason } = await parts.authenticator.verify(
      {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(certificate === undefined ? {} : { certificate }),
      },
      parts.now(),
    );
    if (caller?.peer === opened.caller.peer) return caller;
    const why = caller === undefined ? reason : 'another peer than the connection’s';
    service.refused({ reason: 'UNAUTHENTICATED', source, detail: { why } });
    return undefined;
  };

  const unauthenticated = (id: Id | null) => {
    if (refused) return;
    outbox.send(errorText(id, new ProfileError('UNAUTHENTICATED')));
    closeWith(CLOSE.unauthenticated, 'a request did not authenticate');
  };

  const refuse = (id: Id | null, error: unknown, caller: Caller, called: boolean) => {
    if (error instanceof ProfileError && error.reason === 'UNAUTHENTICATED') return unauthenticated(id);
    if (error instanceof ProfileError) recordRefusal(service, error, { caller, source, called });
    else if (error instanceof FrameFault)
      service.refused({ reason: error.reason, peer: caller.peer, source });
    else log.error({ err: error }, 'a call failed by a defect of ours');
    outbox.send(errorText(id, error));
  };

  const fault = async ({ id, token, fault: error, first = false }: Fault) => {
    const caller = token === undefined && !first ? opened.caller : await callerOf(token);
    if (caller === undefined) return unauthenticated(id);
    try {
      if (!first) service.throttle(caller);
      throw error;
    } catch (what) {
      refuse(id, what, caller, false);
    }
  };

  const answer = async ({ id, token, work }: Asked, stream: Stream | undefined): Promise<void> => {
    const caller = await callerOf(token);
    if (caller === undefined) return unauthenticated(id);
    const asker = { caller, source, gone: gone.signal };
    let called = false;
    try {
      service.throttle(caller);
      called = true;
      if ('answer' in work) outbox.send(await work.answer(asker));
      else if (stream !== undefined) {
        const { credits, stop } = stream;
        const cancelled = () => stream.cancelled;
        await work.follow(asker, { outbox, credits, stop: stop.signal, cancelled });
      }
    } catch (error) {
      refuse(id, error, caller, called);
    }
  };

  const begin = (request: Asked): void => {
    const { id, work } = request;
    if (open.has(id)) {
      closeWith(CLOSE.policy, 'an id was used again while it was open');
      return;
    }
    if (open.size >= MAX_OPEN_IDS) {
      closeWith(CLOSE.policy, `more than ${MAX_OPEN_IDS} open ids`);
      return;
    }
    const stream =
      'follow' in work
        ? { credits: new Credits(), cancelled: false, stop: new AbortController() }
        : undefined;
    open.set(id, stream ?? 'unary');
    void answer(request, stream).finally(() => open.delete(id));
  };

  const streamOf = (id: Id): Stream | undefined => {
    const one = open.get(id);
    // One that has just ended is no mistake of the reader's.
    return one === 'unary' ? undefined : one;
  };

  ws.on('message', (data: RawData, binary: boolean) => {
    if (refused) return;
    if (binary) return closeWith(CLOSE.policy, 'a binary frame');
    const frame = protocol.read((data as Buffer).toString('utf8'));
    switch (frame.kind) {
      case 'request':
        return begin(frame.request);
      case 'credit':
        if (streamOf(frame.id)?.credits.add(frame.events) === false)
          closeWith(CLOSE.policy, 'more credit than there can be');
        return;
      case 'cancelStream': {
        const stream = streamOf(frame.id);
        if (stream === undefined) return;
        stream.cancelled = true;
        stream.stop.abort();
        return;
      }
      case 'fault':
        // An error with that id would be taken for the end of what is open under it.
        if (frame.id !== null && open.has(frame.id))
          return closeWith(CLOSE.policy, 'an id was used again while it was open');
        return void fault({ token: undefined, ...frame });
    }
  });
  ws.on('close', () => {
    refused = true;
    gone.abort();
    for (const stream of open.values()) if (stream !== 'unary') stream.stop.abort();
  });
  // The close event follows: a frame too big, bytes that are no WebSocket, a reset.
  ws.on('error', (error: Error) => log.warn({ peer: opened.caller.peer, err: error }, 'a connection broke'));
}
