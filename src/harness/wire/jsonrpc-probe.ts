/** The JSON-RPC probe: raw envelopes over raw HTTP. */
import type { Address } from '../lab/ports.js';
import { callHeaders, fetchCard, openSession, partsOf } from './a2a-http.js';
import { exchange, type RawAnswer, type RawRequest } from './http.js';
import type { Identity } from './identity.js';
import {
  type CallOptions,
  DEADLINE,
  type Json,
  type Probe,
  type ProbeAnswer,
  type Session,
} from './probe.js';
import type { Reach } from './reach.js';
import { wireDigest, wireMessage } from './request.js';
import { a2aOperations, saidIn, sendParams } from './rpc.js';

/** `address` is asked before each call: a restarted subject may listen elsewhere. */
export function jsonRpcProbe(identity: Identity, url: string, address: () => Address, reach: Reach): Probe {
  const { host, pathname } = new URL(url);
  let nextId = 1;

  const prepare = async (
    method: string,
    params: unknown,
    options: CallOptions,
    req?: string,
  ): Promise<RawRequest> => ({
    headers: await callHeaders(identity, host, options, req),
    address: options.via ?? address(),
    method: 'POST',
    path: pathname,
    reach,
    body: JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }),
  });
  const call = async (method: string, params: unknown, options: CallOptions = {}, req?: string) =>
    answerOf(await exchange(await prepare(method, params, options, req), options.deadlineMs ?? DEADLINE));
  const stream = (method: string, params: unknown, options: CallOptions = {}, req?: string): Session =>
    openSession(prepare(method, params, options, req), answerOf, ({ result }) => result as Json | undefined);

  return {
    binding: 'JSONRPC',
    peer: identity.peer,
    create: (request, options = {}) =>
      call('SendMessage', sendParams(request, options), options, wireDigest(request)),
    createStreaming: (request, options = {}) =>
      stream('SendStreamingMessage', { message: wireMessage(request) }, options, wireDigest(request)),
    get: (id, options) => call('GetTask', { id }, options),
    list: (options) => call('ListTasks', options?.query ?? {}, options),
    cancel: (id, options) => call('CancelTask', { id }, options),
    subscribe: (id, options) => stream('SubscribeToTask', { id }, options),
    card: () => fetchCard({ address: address(), reach }, host),
    operations: (taskId, request) =>
      a2aOperations(taskId, request).map(({ name, params, req }) => ({
        name,
        unauthenticated: 401,
        call: (options: CallOptions) => call(name, params, options, req),
      })),
  };
}

function answerOf(raw: RawAnswer): ProbeAnswer {
  const { answer, body } = partsOf(raw);
  return { ...answer, ...saidIn(body) };
}
