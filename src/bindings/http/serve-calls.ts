/** What the A2A bindings over HTTP share: the order of the profile's refusals, bounds, streams, and what is recorded. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, DelegationService } from '../../executor/service.js';
import type { Authenticator } from '../../identity/ports.js';
import { ProfileError } from '../../profile/errors.js';
import type { requestFromParams } from '../../profile/message.js';
import { EXT, EXTENSIONS_PARAMETER } from '../../profile/names.js';
import type { Log } from '../../telemetry/log.js';
import type { Call } from '../a2a/call.js';
import type { CardInterface } from '../a2a/card.js';
import type { EventStream } from '../a2a/operations.js';
import { recordRefusal } from '../record-refusal.js';
import { readBody } from './body.js';
import { credentialsOf } from './credentials.js';
import { EVENT_STREAM_HEADERS, writeAnswer, type writeEvents } from './event-stream.js';
import { type checkNegotiated, checkVersion, cursorOf } from './negotiation.js';

export interface HttpParts {
  service: DelegationService;
  authenticator: Authenticator;
  interfaces(): CardInterface[];
  now(): number;
  log: Log;
  /** Throws NOT_NEGOTIATED; asked before every operation. */
  checkNegotiated: typeof checkNegotiated;
  readCreate: typeof requestFromParams;
  writeEvents: typeof writeEvents;
}

/** A request as its binding has read it. */
export interface Asked {
  /** As parsed from the wire. */
  params: unknown;
  /** What is wrong with it; not thrown, since the profile answers version and negotiation first. */
  fault?: Error;
}

export interface Refused {
  status: number;
  text: string;
  headers?: Record<string, string>;
  /** What the audit calls a fault of the binding itself, before A2A. */
  fault?: string;
}

/** What is each binding's own. */
export interface HttpBinding<A extends Asked> {
  contentType: string;
  /** `body`: its bytes, or why they are not looked at. Never throws. */
  read(request: IncomingMessage, body: Buffer | ProfileError): A;
  /** The text of the answer, or a stream. Throws ProfileError, or what else `refused` has words for. */
  run(asked: A, call: Call): Promise<string | EventStream>;
  /** What stands around each item of a stream. */
  frame(asked: A): { head: string; tail: string };
  /** `asked` is undefined while nothing was read. */
  refused(error: unknown, asked: A | undefined): Refused;
}

/** Room for JSON's escapes around the longest task, and for the rest of the request. */
const bodyLimit = (maxTaskBytes: number) => 6 * maxTaskBytes + 64 * 1024;
const ECHO = { [EXTENSIONS_PARAMETER]: EXT };

/** Answers every request that it is given, or cuts it. */
export function serveCalls<A extends Asked>(
  parts: HttpParts,
  binding: HttpBinding<A>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { service, log } = parts;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const source = request.socket.remoteAddress ?? 'unknown';
    const caller = await authenticate(request, response, source);
    if (caller === undefined) return;
    const body = await bodyOf(request);
    if (body instanceof ProfileError) response.setHeader('connection', 'close');
    const asked = binding.read(request, body);
    let call: Call | undefined;
    try {
      checkVersion(request);
      parts.checkNegotiated(request);
      service.throttle(caller);
      if (asked.fault !== undefined) throw asked.fault;
      const gone = new AbortController();
      // Of an answer that is whole nobody waits for anything.
      response.once('close', () => {
        if (!response.writableFinished) gone.abort();
      });
      call = { caller, source, cursor: cursorOf(request), params: asked.params, signal: gone.signal };
      const result = await binding.run(asked, call);
      if (typeof result === 'string') send(response, 200, result, ECHO);
      else await stream(response, binding.frame(asked), result);
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        // Cut without a word: whatever was sent stands, and any end without a terminal event is a disconnect.
        response.destroy();
        log.warn({ err: error }, 'a stream ended early');
        return;
      }
      refuse(response, error, asked, { caller, source, called: call !== undefined });
    }
  };

  const bodyOf = async (request: IncomingMessage): Promise<Buffer | ProfileError> => {
    const coding = request.headers['content-encoding'];
    // Nothing is unpacked here, so that nothing small becomes large.
    if (coding !== undefined && coding.toLowerCase() !== 'identity')
      return ProfileError.violating(
        'CONTENT_TYPE_NOT_SUPPORTED',
        'a content coding: nothing is unpacked here',
      );
    const limit = bodyLimit(service.describe().params.limits.maxTaskBytes);
    const bytes = await readBody(request, limit);
    return bytes ?? ProfileError.violating('MALFORMED', `a body above ${limit} bytes`);
  };

  /** Before a byte of the body is looked at; the answer is the same whatever the reason was (PRF-21). */
  const authenticate = async (
    request: IncomingMessage,
    response: ServerResponse,
    source: string,
  ): Promise<Caller | undefined> => {
    const { caller, reason } = await parts.authenticator.verify(credentialsOf(request), parts.now());
    if (caller !== undefined) return caller;
    request.resume();
    service.refused({ reason: 'UNAUTHENTICATED', source, detail: { why: reason } });
    const { status, text } = binding.refused(new ProfileError('UNAUTHENTICATED'), undefined);
    send(response, status, text, { 'www-authenticate': 'Bearer' });
    return undefined;
  };

  const refuse = (
    response: ServerResponse,
    error: unknown,
    asked: A,
    { caller, source, called }: { caller: Caller; source: string; called: boolean },
  ): void => {
    const { status, text, headers = {}, fault } = binding.refused(error, asked);
    if (error instanceof ProfileError) recordRefusal(service, error, { caller, source, called });
    else if (fault !== undefined) service.refused({ reason: fault, peer: caller.peer, source });
    else log.error({ err: error }, 'a call failed by a defect of ours');
    send(response, status, text, { ...headers, ...echoOf(error), ...retryOf(error) });
  };

  const send = (
    response: ServerResponse,
    status: number,
    text: string,
    headers: Record<string, string>,
  ): void => {
    response.writeHead(status, {
      ...headers,
      'content-type': binding.contentType,
      'content-length': Buffer.byteLength(text),
    });
    writeAnswer(response, text, heartbeatMs(), lettingGo(response)).catch((error: unknown) => {
      log.error({ err: error }, 'a call failed by a defect of ours');
      response.destroy();
    });
  };

  const heartbeatMs = () => service.describe().params.heartbeatSeconds * 1000;
  /** The same line for a stream and for an answer. */
  const lettingGo = (response: ServerResponse) => {
    const source = response.socket?.remoteAddress;
    return () => log.warn({ source }, 'a reader that takes nothing was let go');
  };

  const stream = async (
    response: ServerResponse,
    frame: { head: string; tail: string },
    events: EventStream,
  ): Promise<void> => {
    response.writeHead(200, { ...ECHO, ...EVENT_STREAM_HEADERS });
    const letGo = lettingGo(response);
    await parts.writeEvents(response, framed(events, frame), heartbeatMs(), undefined, letGo);
  };

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client went away while it was sending, or something of ours broke before an answer was begun.
      if (!request.destroyed || request.complete)
        log.error({ err: error }, 'a call failed by a defect of ours');
      response.destroy();
    });
  };
}

/** Only what was activated is echoed (A2A 3.6.2): neither by a request without it, nor by one of another version. */
function echoOf(error: unknown): Record<string, string> {
  const passive =
    error instanceof ProfileError &&
    (error.reason === 'NOT_NEGOTIATED' || error.reason === 'VERSION_NOT_SUPPORTED');
  return passive ? {} : ECHO;
}

function retryOf(error: unknown): Record<string, string> {
  if (!(error instanceof ProfileError) || error.retryAfterMs === undefined) return {};
  return { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) };
}

async function* framed(
  { first, rest }: EventStream,
  { head, tail }: { head: string; tail: string },
): AsyncGenerator<string> {
  yield `${head}${first}${tail}`;
  for await (const batch of rest) if (batch.length > 0) yield `${head}${batch.join(`${tail}${head}`)}${tail}`;
}
