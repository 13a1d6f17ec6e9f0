/** The JSON-RPC probe: raw envelopes over raw HTTP. */
import type { ClientRequest } from 'node:http';
import { EXT } from '../../profile/names.js';
import type { Address } from '../lab/ports.js';
import { asWireEnd, exchange, open, type RawAnswer, type RawRequest } from './http.js';
import type { Identity } from './identity.js';
import type { CallOptions, Json, Probe, ProbeAnswer, Session } from './probe.js';
import type { Reach } from './reach.js';
import { type WireRequest, wireDigest, wireMessage } from './request.js';
import { StreamSession } from './stream-session.js';

const DEADLINE = 15_000;

/** `address` is asked before each call: a restarted subject may listen elsewhere. */
export function jsonRpcProbe(identity: Identity, url: string, address: () => Address, reach: Reach): Probe {
  const { host, pathname } = new URL(url);
  let nextId = 1;

  const prepare = async (
    method: string,
    params: unknown,
    options: CallOptions,
    req?: string,
  ): Promise<RawRequest> => {
    const token =
      options.token === undefined
        ? await identity.token(options.cap ?? ['repo:read'], req, options.abuse)
        : options.token;
    const headers: Record<string, string> = { host, 'content-type': 'application/json' };
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (options.version !== null) headers['A2A-Version'] = options.version ?? '1.0';
    if (options.extensions !== false) headers['A2A-Extensions'] = options.extensions ?? EXT;
    if (options.cursor !== undefined) headers['OAB-Cursor'] = options.cursor;
    Object.assign(headers, options.headers);
    return {
      address: options.via ?? address(),
      method: 'POST',
      path: pathname,
      headers,
      reach,
      body: JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }),
    };
  };
  const call = async (method: string, params: unknown, options: CallOptions = {}, req?: string) =>
    answerOf(await exchange(await prepare(method, params, options, req), options.deadlineMs ?? DEADLINE));
  const stream = (method: string, params: unknown, options: CallOptions = {}, req?: string): Session =>
    openSession(prepare(method, params, options, req));
  const sendParams = (
    request: WireRequest,
    more: { message?: Json; configuration?: Json; params?: Json },
  ) => ({
    ...more.params,
    message: more.message ?? wireMessage(request),
    configuration: more.configuration ?? { returnImmediately: true },
  });

  return {
    binding: 'JSONRPC',
    peer: identity.peer,
    create: (request, options = {}) =>
      call('SendMessage', sendParams(request, options), options, wireDigest(request)),
    createStreaming: (request, options = {}) =>
      stream('SendStreamingMessage', { message: wireMessage(request) }, options, wireDigest(request)),
    get: (id, options) => call('GetTask', { id }, options),
    list: (options) => call('ListTasks', {}, options),
    cancel: (id, options) => call('CancelTask', { id }, options),
    subscribe: (id, options) => stream('SubscribeToTask', { id }, options),
    async card() {
      const raw = {
        address: address(),
        method: 'GET',
        path: '/.well-known/agent-card.json',
        headers: { host },
        reach,
      };
      return JSON.parse((await exchange(raw, DEADLINE)).text) as Json;
    },
    operations(taskId, request) {
      const send = { message: wireMessage(request), configuration: { returnImmediately: true } };
      const push = { taskId, url: 'https://example.invalid/hook' };
      const params: [string, Json, string?][] = [
        ['SendMessage', send, wireDigest(request)],
        ['SendStreamingMessage', { message: wireMessage(request) }, wireDigest(request)],
        ['GetTask', { id: taskId }],
        ['ListTasks', {}],
        ['CancelTask', { id: taskId }],
        ['SubscribeToTask', { id: taskId }],
        ['CreateTaskPushNotificationConfig', push],
        ['GetTaskPushNotificationConfig', { taskId, id: 'p' }],
        ['ListTaskPushNotificationConfigs', { taskId }],
        ['DeleteTaskPushNotificationConfig', { taskId, id: 'p' }],
        ['GetExtendedAgentCard', {}],
      ];
      return params.map(([name, body, req]) => ({
        name,
        unauthenticated: 401,
        call: (options: CallOptions) => call(name, body, options, req),
      }));
    },
  };
}

function openSession(prepared: Promise<RawRequest>): Session {
  let request: ClientRequest | undefined;
  const session = new StreamSession({
    close: () => request?.destroy(),
    pause: () => request?.socket?.pause(),
    resume: () => request?.socket?.resume(),
  });
  prepared.then(
    (raw) => {
      request = open(raw);
      request.on('error', (error) => session.end(asWireEnd(error).kind));
      request.on('response', (response) => {
        if (!String(response.headers['content-type']).startsWith('text/event-stream')) {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            session.refuse(
              answerOf({
                status: response.statusCode ?? 0,
                headers: response.headers,
                text: Buffer.concat(chunks).toString('utf8'),
              }),
            ),
          );
          return;
        }
        session.opened();
        response.on('data', (chunk: Buffer) =>
          session.bytes(chunk, (json) => json.result as Json | undefined),
        );
        response.on('error', (error) => session.end(asWireEnd(error).kind));
        response.on('end', () => session.end('fin'));
      });
    },
    (error: Error) => session.end(asWireEnd(error).kind),
  );
  return session;
}

function answerOf({ status, headers, text }: RawAnswer): ProbeAnswer {
  const echoed = String(headers['a2a-extensions'] ?? '')
    .split(',')
    .some((uri) => uri.trim() === EXT);
  let body: Json = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) body = parsed as Json;
  } catch {
    // An answer that is no JSON shows by having neither result nor error.
  }
  const retryAfter = headers['retry-after'];
  const answer: ProbeAnswer = {
    status,
    echoed,
    text,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
  if (typeof body.result === 'object' && body.result !== null) {
    const { task, ...rest } = body.result as Json;
    answer.result = (task as Json | undefined) ?? rest;
  }
  const error = body.error as
    | { code: number; data?: { reason?: string; metadata?: Record<string, string> }[] }
    | null
    | undefined;
  if (error !== undefined && error !== null) {
    const info = error.data?.[0];
    const retry = info?.metadata?.retryAfterMs;
    answer.error = {
      code: error.code,
      reason: info?.metadata?.oabReason ?? info?.reason ?? '',
      ...(retry === undefined ? {} : { retryAfterMs: Number(retry) }),
    };
  }
  return answer;
}
