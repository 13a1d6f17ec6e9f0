/** The JSON-RPC binding (A2A 9) on node:http: the order of refusals is the profile's, the dispatch is the SDK's. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Caller, DelegationService } from '../../executor/service.js';
import type { Authenticator } from '../../identity/ports.js';
import { ProfileError } from '../../profile/errors.js';
import type { requestFromParams } from '../../profile/message.js';
import { EXT, EXTENSIONS_PARAMETER } from '../../profile/names.js';
import type { Log } from '../../telemetry/log.js';
import type { Call } from '../a2a/call.js';
import { type EventStream, operations } from '../a2a/operations.js';
import { attachCall, requestHandler } from '../a2a/request-handler.js';
import { readBody } from '../http/body.js';
import { credentialsOf } from '../http/credentials.js';
import { EVENT_STREAM_HEADERS, writeAnswer, type writeEvents } from '../http/event-stream.js';
import type { Route } from '../http/listener.js';
import { type checkNegotiated, checkVersion, cursorOf } from '../http/negotiation.js';
import { recordRefusal } from '../record-refusal.js';
import { errorText, type Id, RpcFault, readEnvelope, resultFrame } from './envelope.js';

export interface JsonRpcParts {
  service: DelegationService;
  authenticator: Authenticator;
  interfaces(): { url: string; protocolBinding: string }[];
  now(): number;
  log: Log;
  /** Throws NOT_NEGOTIATED; asked before every operation. */
  checkNegotiated: typeof checkNegotiated;
  readCreate: typeof requestFromParams;
  writeEvents: typeof writeEvents;
}

/** Room for JSON's escapes around the longest task, and for the rest of the request. */
const bodyLimit = (maxTaskBytes: number) => 6 * maxTaskBytes + 64 * 1024;
const ECHO = { [EXTENSIONS_PARAMETER]: EXT };

export function jsonRpcRoute(parts: JsonRpcParts, path: string): Route {
  const { service, log } = parts;
  const onDefect = (error: unknown) => log.error({ err: error }, 'a call failed by a defect of ours');
  const ops = operations(parts);
  const refusals = new WeakMap<Call, ProfileError>();
  const onRefusal = (call: Call, error: ProfileError) => refusals.set(call, error);
  // Without state of its own: one serves all requests.
  const dispatcher = new JsonRpcTransportHandler(requestHandler(ops, { onRefusal, onDefect }));

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const source = request.socket.remoteAddress ?? 'unknown';
    const caller = await authenticate(parts, request, response, source);
    if (caller === undefined) return;
    const body = await readBody(request, bodyLimit(service.describe().params.limits.maxTaskBytes));
    const envelope =
      body === undefined
        ? { id: null, fault: new ProfileError('MALFORMED', 'body too long') }
        : readEnvelope(body);
    if (body === undefined) response.setHeader('connection', 'close');
    let call: Call | undefined;
    try {
      checkVersion(request);
      parts.checkNegotiated(request);
      service.throttle(caller);
      if ('fault' in envelope) throw envelope.fault;
      const gone = new AbortController();
      // Of an answer that is whole nobody waits for anything.
      response.once('close', () => {
        if (!response.writableFinished) gone.abort();
      });
      call = {
        caller,
        source,
        cursor: cursorOf(request),
        params: envelope.request.params,
        signal: gone.signal,
      };
      const { method } = envelope.request;
      if (method === 'SendStreamingMessage' || method === 'SubscribeToTask') {
        // Past the SDK's dispatcher: it would decode and encode every event anew, and drop the activation echo.
        const stream = await (method === 'SubscribeToTask' ? ops.subscribe(call) : ops.sendStreaming(call));
        await writeStream(parts, response, envelope.id, stream);
        return;
      }
      await unary(envelope.request, call, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        // Cut without a word: whatever was sent stands, and any end without a terminal event is a disconnect.
        response.destroy();
        log.warn({ err: error }, 'a stream ended early');
        return;
      }
      refuse(parts, response, envelope.id, error, caller, source, call);
    }
  };

  const unary = async (
    rpc: { id: string | number; method: string; params: unknown },
    call: Call,
    response: ServerResponse,
  ) => {
    const context = new ServerCallContext({ requestedVersion: '1.0' });
    attachCall(context, call);
    const { tenant: _tenant, ...params } = rpc.params as Record<string, unknown>;
    const result = await dispatcher.handle(
      { jsonrpc: '2.0', id: rpc.id, method: rpc.method, params },
      context,
    );
    const refusal = refusals.get(call);
    if (refusal !== undefined)
      return refuse(parts, response, rpc.id, refusal, call.caller, call.source, call);
    send(parts, response, 200, JSON.stringify(result));
  };

  return (request, response, at) => {
    if (at !== path) return false;
    if (request.method !== 'POST') {
      request.resume();
      response.writeHead(405, { allow: 'POST' }).end();
      return true;
    }
    answer(request, response).catch((error: unknown) => {
      // The client went away while it was sending, or something of ours broke before an answer was begun.
      if (!request.destroyed || request.complete) onDefect(error);
      response.destroy();
    });
    return true;
  };
}

/** Before a byte of the body is looked at; the answer is the same whatever the reason was (PRF-21). */
async function authenticate(
  parts: JsonRpcParts,
  request: IncomingMessage,
  response: ServerResponse,
  source: string,
): Promise<Caller | undefined> {
  const { authenticator, service, now } = parts;
  const { caller, reason } = await authenticator.verify(credentialsOf(request), now());
  if (caller !== undefined) return caller;
  request.resume();
  service.refused({ reason: 'UNAUTHENTICATED', source, detail: { why: reason } });
  const text = errorText(null, new ProfileError('UNAUTHENTICATED'));
  response.setHeader('www-authenticate', 'Bearer');
  send(parts, response, 401, text, {});
  return undefined;
}

function refuse(
  parts: JsonRpcParts,
  response: ServerResponse,
  id: Id,
  error: unknown,
  caller: Caller,
  source: string,
  call: Call | undefined,
): void {
  const { service, log } = parts;
  if (error instanceof ProfileError) {
    recordRefusal(service, error, { caller, source, called: call !== undefined });
    const status = error.http === 503 ? 503 : 200;
    if (error.retryAfterMs !== undefined)
      response.setHeader('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
    // Only what was activated is echoed (A2A 3.6.2): neither by a request without it, nor by one of another version.
    const active = error.reason !== 'NOT_NEGOTIATED' && error.reason !== 'VERSION_NOT_SUPPORTED';
    send(parts, response, status, errorText(id, error), active ? ECHO : {});
    return;
  }
  if (error instanceof RpcFault) service.refused({ reason: `RPC ${error.code}`, peer: caller.peer, source });
  else log.error({ err: error }, 'a call failed by a defect of ours');
  send(parts, response, 200, errorText(id, error));
}

function heartbeatMs({ service }: JsonRpcParts): number {
  return service.describe().params.heartbeatSeconds * 1000;
}

/** The same line for a stream and for an answer. */
function lettingGo({ log }: JsonRpcParts, response: ServerResponse): () => void {
  const source = response.socket?.remoteAddress;
  return () => log.warn({ source }, 'a reader that takes nothing was let go');
}

function send(
  parts: JsonRpcParts,
  response: ServerResponse,
  status: number,
  text: string,
  more: Record<string, string> = ECHO,
): void {
  response.writeHead(status, {
    ...more,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  writeAnswer(response, text, heartbeatMs(parts), lettingGo(parts, response)).catch((error: unknown) => {
    parts.log.error({ err: error }, 'a call failed by a defect of ours');
    response.destroy();
  });
}

async function writeStream(
  parts: JsonRpcParts,
  response: ServerResponse,
  id: Id,
  stream: EventStream,
): Promise<void> {
  response.writeHead(200, { ...ECHO, ...EVENT_STREAM_HEADERS });
  const letGo = lettingGo(parts, response);
  await parts.writeEvents(response, frames(stream, id), heartbeatMs(parts), undefined, letGo);
}

async function* frames({ first, rest }: EventStream, id: Id): AsyncGenerator<string> {
  const { head, tail } = resultFrame(id);
  yield `${head}${first}${tail}`;
  for await (const batch of rest) if (batch.length > 0) yield `${head}${batch.join(`${tail}${head}`)}${tail}`;
}
