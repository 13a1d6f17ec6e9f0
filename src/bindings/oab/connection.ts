/** One connection of the custom OAB protocol, from its upgrade to its end: who asks, what is open, what is refused. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Caller, DelegationService } from '../../executor/service.js';
import type { Authenticator, Credentials } from '../../identity/ports.js';
import { ProfileError } from '../../profile/errors.js';
import type { parseRequest } from '../../profile/request.js';
import type { Log } from '../../telemetry/log.js';
import { recordRefusal } from '../record-refusal.js';
import { followStream } from './follow-stream.js';
import { errorText, FrameFault, readFrame, resultText, type VerbRequest } from './frames.js';
import { CLOSE, MAX_OPEN_IDS } from './names.js';
import { openOutbox } from './outbox.js';
import type { Id } from './shapes.js';
import { Credits, type sendItems } from './stream.js';
import { callVerb } from './verbs.js';

export interface OabParts {
  service: DelegationService;
  authenticator: Authenticator;
  now(): number;
  log: Log;
  /** From the params of `create` to the request in it. */
  readRequest: typeof parseRequest;
  sendItems: typeof sendItems;
}

/** Who opened a connection: each of its requests must be the same peer's. */
export interface Opened {
  caller: Caller;
  /** Of the connection itself: its certificate, never its first token. */
  certificate: Credentials['certificate'];
  source: string;
}

interface OpenStream {
  credits: Credits;
  /** By `$/cancelStream`. */
  cancelled: boolean;
  stop: AbortController;
}

/** Serves an open WebSocket until it ends. */
export function serveConnection(parts: OabParts, ws: WebSocket, socket: Duplex, opened: Opened): void {
  const { service, log } = parts;
  const outbox = openOutbox(ws, socket);
  const open = new Map<Id, OpenStream | 'unary'>();
  const { source } = opened;
  let refused = false;

  const closeWith = (code: number, why: string) => {
    refused = true;
    log.warn({ peer: opened.caller.peer, code }, `a connection is closed: ${why}`);
    outbox.close(code);
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

  const fault = async (id: Id | null, token: string | undefined, error: FrameFault | ProfileError) => {
    const caller = token === undefined ? opened.caller : await callerOf(token);
    if (caller === undefined) return unauthenticated(id);
    try {
      service.throttle(caller);
      throw error;
    } catch (what) {
      refuse(id, what, caller, false);
    }
  };

  const answer = async (request: VerbRequest, stream: OpenStream | undefined): Promise<void> => {
    const { id, verb, params, token } = request;
    const caller = await callerOf(token);
    if (caller === undefined) return unauthenticated(id);
    let called = false;
    try {
      service.throttle(caller);
      called = true;
      if (verb !== 'events') {
        outbox.send(
          resultText(id, await callVerb(service, parts.readRequest, caller, { id, verb, params, token })),
        );
      } else if (stream !== undefined) {
        await followStream(parts, outbox, caller, {
          id,
          params,
          ...stream,
          cancelled: () => stream.cancelled,
        });
      }
    } catch (error) {
      refuse(id, error, caller, called);
    }
  };

  const begin = (request: VerbRequest): void => {
    const { id, verb } = request;
    if (open.has(id)) {
      closeWith(CLOSE.policy, 'an id was used again while it was open');
      return;
    }
    if (open.size >= MAX_OPEN_IDS) {
      closeWith(CLOSE.policy, 'too many open ids');
      return;
    }
    const stream =
      verb === 'events'
        ? { credits: new Credits(), cancelled: false, stop: new AbortController() }
        : undefined;
    open.set(id, stream ?? 'unary');
    void answer(request, stream).finally(() => open.delete(id));
  };

  const streamOf = (id: Id): OpenStream | undefined => {
    const one = open.get(id);
    // One that has just ended is no mistake of the reader's.
    return one === 'unary' ? undefined : one;
  };

  ws.on('message', (data: RawData, binary: boolean) => {
    if (refused) return;
    if (binary) return closeWith(CLOSE.policy, 'a binary frame');
    const frame = readFrame((data as Buffer).toString('utf8'));
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
        return void fault(frame.id, frame.token, frame.fault);
    }
  });
  ws.on('close', () => {
    refused = true;
    for (const stream of open.values()) if (stream !== 'unary') stream.stop.abort();
  });
  // The close event follows: a frame too big, bytes that are no WebSocket, a reset.
  ws.on('error', (error: Error) => log.warn({ peer: opened.caller.peer, err: error }, 'a connection broke'));
}
