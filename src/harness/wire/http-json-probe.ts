/** The HTTP+JSON probe: raw verbs and paths, and answers judged by status, google.rpc.Status and ErrorInfo alike. */
import type { Address } from '../lab/ports.js';
import { callHeaders, type ErrorInfo, errorOf, fetchCard, openSession, partsOf } from './a2a-http.js';
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
import { type WireRequest, wireDigest, wireMessage } from './request.js';

type Verb = 'GET' | 'POST' | 'DELETE';

/** A2A 5.4: by ErrorInfo's reason the code that suites know errors by, the status, and the name of google.rpc.Code. */
const ERRORS: Readonly<Record<string, [code: number, http: number, status: string]>> = {
  TASK_NOT_FOUND: [-32001, 404, 'NOT_FOUND'],
  TASK_NOT_CANCELABLE: [-32002, 400, 'FAILED_PRECONDITION'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, 'FAILED_PRECONDITION'],
  UNSUPPORTED_OPERATION: [-32004, 400, 'FAILED_PRECONDITION'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400, 'INVALID_ARGUMENT'],
  EXTENSION_SUPPORT_REQUIRED: [-32008, 400, 'FAILED_PRECONDITION'],
  VERSION_NOT_SUPPORTED: [-32009, 400, 'FAILED_PRECONDITION'],
  METHOD_NOT_FOUND: [-32601, 404, 'NOT_FOUND'],
  INVALID_PARAMS: [-32602, 400, 'INVALID_ARGUMENT'],
};
/** Of the profile, on A2A's internal error (profile section 7). */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** `address` is asked before each call: a restarted subject may listen elsewhere. */
export function httpJsonProbe(identity: Identity, url: string, address: () => Address, reach: Reach): Probe {
  const { host, pathname } = new URL(url);
  const root = pathname.replace(/\/$/, '');

  const prepare = async (
    verb: Verb,
    path: string,
    body: Json | undefined,
    options: CallOptions,
    req?: string,
  ): Promise<RawRequest> => ({
    headers: await callHeaders(identity, host, options, req),
    address: options.via ?? address(),
    method: verb,
    path: root + path,
    reach,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const call = async (verb: Verb, path: string, body?: Json, options: CallOptions = {}, req?: string) =>
    answerOf(await exchange(await prepare(verb, path, body, options, req), options.deadlineMs ?? DEADLINE));
  const stream = (verb: Verb, path: string, body?: Json, options: CallOptions = {}, req?: string): Session =>
    openSession(prepare(verb, path, body, options, req), answerOf, (json) => json);
  const at = (id: string, more = '') => `/tasks/${encodeURIComponent(id)}${more}`;
  const sendBody = (
    request: WireRequest,
    more: { message?: Json; configuration?: Json; params?: Json },
  ): Json => ({
    ...more.params,
    message: more.message ?? wireMessage(request),
    configuration: more.configuration ?? { returnImmediately: true },
  });

  return {
    binding: 'HTTP+JSON',
    peer: identity.peer,
    create: (request, options = {}) =>
      call('POST', '/message:send', sendBody(request, options), options, wireDigest(request)),
    createStreaming: (request, options = {}) =>
      stream('POST', '/message:stream', { message: wireMessage(request) }, options, wireDigest(request)),
    get: (id, options) => call('GET', at(id), undefined, options),
    list: (options) => call('GET', `/tasks${queryText(options?.query)}`, undefined, options),
    cancel: (id, options) => call('POST', at(id, ':cancel'), {}, options),
    // As the proto has it; among the operations below it is by POST, as the text has it.
    subscribe: (id, options) => stream('GET', at(id, ':subscribe'), undefined, options),
    card: () => fetchCard({ address: address(), reach }, host),
    operations(taskId, request) {
      const send = { message: wireMessage(request), configuration: { returnImmediately: true } };
      const push = at(taskId, '/pushNotificationConfigs');
      const asked: [name: string, verb: Verb, path: string, body?: Json, req?: string][] = [
        ['SendMessage', 'POST', '/message:send', send, wireDigest(request)],
        [
          'SendStreamingMessage',
          'POST',
          '/message:stream',
          { message: wireMessage(request) },
          wireDigest(request),
        ],
        ['GetTask', 'GET', at(taskId)],
        ['ListTasks', 'GET', '/tasks'],
        ['CancelTask', 'POST', at(taskId, ':cancel'), {}],
        ['SubscribeToTask', 'POST', at(taskId, ':subscribe'), {}],
        ['CreateTaskPushNotificationConfig', 'POST', push, { taskId, url: 'https://example.invalid/hook' }],
        ['GetTaskPushNotificationConfig', 'GET', `${push}/p`],
        ['ListTaskPushNotificationConfigs', 'GET', push],
        ['DeleteTaskPushNotificationConfig', 'DELETE', `${push}/p`],
        ['GetExtendedAgentCard', 'GET', '/extendedAgentCard'],
      ];
      return asked.map(([name, verb, path, body, req]) => ({
        name,
        unauthenticated: 401,
        call: (options: CallOptions) => call(verb, path, body, options, req),
      }));
    },
  };
}

function queryText(query: Json = {}): string {
  const fields = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return Object.keys(fields).length === 0 ? '' : `?${new URLSearchParams(fields)}`;
}

function answerOf(raw: RawAnswer): ProbeAnswer {
  const { answer, body } = partsOf(raw);
  const error = body.error as { code?: number; status?: string; details?: ErrorInfo[] } | undefined;
  if (raw.status === 200 && error === undefined) {
    const { task, ...rest } = body;
    answer.result = (task as Json | undefined) ?? rest;
  }
  if (typeof error === 'object' && error !== null) {
    const info = error.details?.[0];
    const [code = -32603, http = raw.status, name = BY_STATUS[raw.status]] = ERRORS[info?.reason ?? ''] ?? [];
    // An error whose words contradict each other is none that a suite knows.
    const agrees = error.code === raw.status && http === raw.status && name === error.status;
    answer.error = errorOf(agrees ? code : raw.status, info);
  }
  return answer;
}
