/**
 * The OAB probe: raw frames, a connection per call. Suites are written once for all bindings, so that it answers in their
 * form: a subscribe is `get` and then `events` from that place, a page what `events` sends up to it.
 */
import { KEY } from '../../profile/names.js';
import type { Address } from '../lab/ports.js';
import { WireEnd } from './http.js';
import type { Identity } from './identity.js';
import { fromOabItem, fromOabTask } from './oab-json.js';
import { type OabEvents, type OabSocket, openOabSocket } from './oab-socket.js';
import type { CallOptions, Json, Probe, ProbeAnswer, Session } from './probe.js';
import type { Reach } from './reach.js';
import { requestIn, type WireRequest, wireDigest } from './request.js';
import { StreamSession } from './stream-session.js';

const DEADLINE = 15_000;
const REFILL = 32;
const ENDED = /^TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)$/;

/** `beside` answers what this protocol has no verb for, over another binding of the same executor. */
export function oabProbe(
  identity: Identity,
  url: string,
  address: () => Address,
  reach: Reach,
  beside: Pick<Probe, 'list'>,
): Probe {
  const { host, pathname } = new URL(url);

  const tokenOf = async (options: CallOptions, req?: string): Promise<string | null> =>
    options.token === undefined
      ? await identity.token(options.cap ?? ['repo:read'], req, options.abuse)
      : options.token;
  const dial = (token: string | null, options: CallOptions, events: OabEvents): OabSocket =>
    openOabSocket(
      {
        address: options.via ?? address(),
        reach,
        host,
        path: pathname,
        token,
        headers: options.headers ?? {},
      },
      events,
    );
  const request = (id: number, method: string, params: unknown, token: string | null) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
    ...(token === null ? {} : { token }),
  });

  const call = async (
    method: string,
    params: unknown,
    options: CallOptions = {},
    req?: string,
  ): Promise<ProbeAnswer> => {
    const token = await tokenOf(options, req);
    return new Promise((resolve, reject) => {
      const deadlineMs = options.deadlineMs ?? DEADLINE;
      const settle = (act: () => void) => {
        clearTimeout(timer);
        socket.close();
        act();
      };
      const timer = setTimeout(
        () => settle(() => reject(new WireEnd('late', `no answer in ${deadlineMs} ms`))),
        deadlineMs,
      );
      const socket = dial(token, options, {
        open: () => socket.send(request(1, method, params, token)),
        refused: (status, text) => settle(() => resolve(refusedUpgrade(status, text))),
        frame: (text) => settle(() => resolve(answerOf(text))),
        ping: () => {},
        ended: (kind, code) =>
          settle(() =>
            reject(new WireEnd(kind === 'fin' ? 'cut' : kind, `the connection ended (${code ?? 'no code'})`)),
          ),
      });
    });
  };

  /** Items from behind a cursor; `lead` asks for the Task first, and begins where it stands. */
  const stream = (
    taskId: string,
    options: CallOptions,
    how: { cursor: string } | { lead: () => Promise<{ create?: WireRequest }> },
  ): Session => {
    let socket: OabSocket | undefined;
    let received = 0;
    let token: string | null = null;
    let asked: WireRequest | undefined;
    const session = new StreamSession({
      close: () => socket?.close(),
      pause: () => socket?.pause(),
      resume: () => socket?.resume(),
    });
    const follow = (id: string, cursor: string) => {
      socket?.send(request(2, 'events', { task_id: id, cursor }, token));
    };
    const lead = (text: string) => {
      const answer = answerOf(text);
      const task = answer.result;
      if (task === undefined) {
        session.refuse(answer);
        socket?.close();
        return;
      }
      const state = String((task.status as Json).state);
      if (ENDED.test(state) && asked === undefined) {
        session.refuse({ ...answer, error: { code: -32004, reason: 'UNSUPPORTED_OPERATION' } });
        socket?.close();
        return;
      }
      session.opened();
      session.item({ task });
      const { cursor } = (task.metadata as Json)[KEY.event] as { cursor: string };
      follow(String(task.id), cursor);
    };
    const take = (text: string) => {
      const json = parsed(text);
      if (json.id === 1) lead(text);
      else if (json.error !== undefined) {
        session.refuse(answerOf(text));
        socket?.close();
      } else if (json.method === '$/streamEnd') {
        session.opened();
        session.end('fin');
        socket?.close();
      } else {
        session.opened();
        received += 1;
        if (json.id === 2 && typeof json.result === 'object') session.item(fromOabItem(json.result as Json));
        else session.odd(text);
        if (received % REFILL === 0)
          socket?.send({ jsonrpc: '2.0', method: '$/credit', params: { id: 2, events: REFILL } });
      }
    };
    const begin = async () => {
      asked = 'lead' in how ? (await how.lead()).create : undefined;
      token = await tokenOf(options, asked === undefined ? undefined : wireDigest(asked));
      socket = dial(token, options, {
        open() {
          if ('cursor' in how) follow(taskId, how.cursor);
          else if (asked === undefined) socket?.send(request(1, 'get', { task_id: taskId }, token));
          else socket?.send(request(1, 'create', { request: asked }, token));
        },
        refused: (status, text) => session.refuse(refusedUpgrade(status, text)),
        frame: take,
        ping: () => session.beat(),
        ended: (kind) => session.end(kind),
      });
    };
    begin().catch(() => session.end('cut'));
    return session;
  };

  const page = async (taskId: string, cursor: string, options: CallOptions): Promise<ProbeAnswer> => {
    const answer = await call('get', { task_id: taskId }, options);
    const task = answer.result;
    if (task === undefined) return answer;
    const at = (task.metadata as Json)[KEY.event] as { sequence: number; cursor: string };
    const ended = ENDED.test(String((task.status as Json).state));
    const session = stream(taskId, options, { cursor });
    const found: Json & { events: Json[] } = { events: [], next: '', complete: true };
    const enough = () =>
      !ended && (cursor === at.cursor || (session.frames.at(-1)?.sequence ?? 0) >= at.sequence);
    const refusal = cursor === at.cursor && !ended ? undefined : await session.refusal;
    if (refusal !== undefined) return refusal;
    if (!enough())
      await Promise.race([
        session.until(enough, options.deadlineMs ?? DEADLINE).catch(() => undefined),
        session.ended,
      ]);
    session.close();
    for (const { json, sequence, cursor: own } of session.frames) {
      if ('floor' in json) Object.assign(found, { complete: false, floor: json.floor });
      else if (ended || Number(sequence) <= at.sequence)
        found.events.push({ sequence, cursor: own, event: json });
    }
    if (ended && cursor !== at.cursor && found.events.at(-1)?.sequence !== at.sequence)
      throw new WireEnd('cut', 'the stream ended before its task does');
    return { ...answer, result: { ...task, metadata: { ...(task.metadata as Json), [KEY.events]: found } } };
  };

  return {
    binding: 'OAB',
    peer: identity.peer,
    create(request_, options = {}) {
      const asked = options.message === undefined ? request_ : requestIn(options.message);
      const params = { ...options.params, request: asked ?? options.message };
      return call('create', params, options, wireDigest(request_));
    },
    createStreaming: (request_, options = {}) =>
      stream('', options, { lead: async () => ({ create: request_ }) }),
    get: (id, options = {}) =>
      options.cursor === undefined
        ? call('get', { task_id: id }, options)
        : page(id, options.cursor, options),
    list: (options) => beside.list(options),
    cancel: (id, options) => call('cancel', { task_id: id }, options),
    subscribe: (id, options = {}) =>
      stream(
        id,
        options,
        options.cursor === undefined ? { lead: async () => ({}) } : { cursor: options.cursor },
      ),
    async card() {
      return (await call('describe', {})).result ?? {};
    },
    operations(taskId, request_) {
      const params: [string, Json, string?][] = [
        ['describe', {}],
        ['create', { request: request_ }, wireDigest(request_)],
        ['get', { task_id: taskId }],
        ['events', { task_id: taskId, cursor: '0' }],
        ['cancel', { task_id: taskId }],
      ];
      return params.map(([name, body, req]) => ({
        name,
        call: (options: CallOptions) => call(name, body, options, req),
      }));
    },
  };
}

function parsed(text: string): Json {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : {};
  } catch {
    // No JSON shows by having nothing in it.
    return {};
  }
}

function answerOf(text: string): ProbeAnswer {
  const { result, error } = parsed(text) as {
    result?: Json;
    error?: { code: number; data?: { reason?: string; retry_after_ms?: number } };
  };
  const retry = error?.data?.retry_after_ms;
  return {
    status: error?.data?.reason === 'UNAUTHENTICATED' ? 4401 : 200,
    echoed: true,
    text,
    ...(result === undefined ? {} : { result: fromOabTask(result) }),
    ...(error === undefined
      ? {}
      : {
          error: {
            code: error.code,
            reason: error.data?.reason ?? '',
            ...(retry === undefined ? {} : { retryAfterMs: retry }),
          },
        }),
  };
}

function refusedUpgrade(status: number, text: string): ProbeAnswer {
  return { status, echoed: false, text, error: { code: 0, reason: status === 401 ? 'UNAUTHENTICATED' : '' } };
}
