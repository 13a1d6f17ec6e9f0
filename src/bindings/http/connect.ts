/** The coordinator's side of the A2A bindings over HTTP: raw wire JSON in both directions, bounded, never redirected. */
import type { Dispatcher } from 'undici';
import {
  type CallOptions,
  type PeerConnection,
  type PeerDescription,
  PeerRefusal,
  PeerUnreachable,
  type RemoteFrame,
  type RemoteTask,
} from '../../coordinator/connection.js';
import { activates } from '../../profile/card.js';
import { messageFromRequest } from '../../profile/message.js';
import type { Digest } from '../../profile/model.js';
import {
  A2A_VERSION,
  type BindingName,
  CURSOR_PARAMETER,
  EXT,
  EXTENSIONS_PARAMETER,
  VERSION_PARAMETER,
} from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { remoteFrame, remoteTask } from '../a2a/remote-task.js';
import { SILENT_HEARTBEATS } from '../silence.js';
import { asUnreachable } from '../unreachable.js';
import type { DialOptions } from './dial.js';
import { boundedText, exchange, fetchCard } from './fetch-card.js';
import { openPool } from './pool.js';
import { EventTooLong, SseParser } from './sse-parser.js';

export interface HttpClientOptions extends DialOptions {
  /** The peer's identity URL: the only origin that ever gets a token (OPEN-33). */
  url: string;
  /** A token for one call, with the request digest for the two send operations; undefined when a certificate does. */
  credentials(req?: Digest): string | undefined;
  /** For one unary answer. */
  timeoutMs: number;
}

/** One call as a binding puts it on HTTP, and how its answers are read there. */
export interface HttpCall {
  method: 'GET' | 'POST';
  /** Behind the path of the interface's URL. */
  path: string;
  body?: { type: string; text: string };
  /** The result in a whole answer. Throws PeerRefusal for the peer's error, PeerUnreachable for what is no answer. */
  answer(status: number, text: string): unknown;
  /** The same of one item of a stream. */
  item(text: string): unknown;
}

export interface HttpWire {
  /** As the card names it. */
  binding: BindingName;
  call(
    operation: 'SendMessage' | 'GetTask' | 'CancelTask' | 'SubscribeToTask',
    params: Record<string, unknown>,
  ): HttpCall;
}

/** What rides in headers with one call. */
interface Beside {
  req?: Digest;
  cursor?: string | undefined;
}

export function connectOverHttp(options: HttpClientOptions, wire: HttpWire): PeerConnection {
  const pool = openPool(options);
  const { origin } = new URL(options.url);
  const place = { pool, origin, timeoutMs: options.timeoutMs };
  let described: PeerDescription | undefined;

  const endpoint = async ({ signal }: CallOptions): Promise<PeerDescription> =>
    (described ??= await fetchCard(place, wire.binding, signal));

  const written = (url: string, call: HttpCall, { req, cursor }: Beside): Dispatcher.RequestOptions => {
    const { pathname } = new URL(url);
    const token = options.credentials(req);
    return {
      origin,
      path: call.path === '' ? pathname : `${pathname.replace(/\/+$/, '')}${call.path}`,
      method: call.method,
      headers: {
        ...(call.body === undefined ? {} : { 'content-type': call.body.type }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        [VERSION_PARAMETER]: A2A_VERSION,
        [EXTENSIONS_PARAMETER]: EXT,
        ...(cursor === undefined ? {} : { [CURSOR_PARAMETER]: cursor }),
      },
      ...(call.body === undefined ? {} : { body: call.body.text }),
    };
  };

  const unary = async (call: HttpCall, { signal }: CallOptions, beside: Beside = {}) => {
    const { url, params } = await endpoint({ signal });
    const { response, text } = await exchange(
      place,
      written(url, call, beside),
      signal,
      params.limits.maxFrameBytes,
    );
    return { result: call.answer(response.statusCode, text), echoed: echoed(response) };
  };

  async function* observe(taskId: string, asked: CallOptions): AsyncGenerator<RemoteFrame> {
    const { url, params } = await endpoint(asked);
    const { maxFrameBytes } = params.limits;
    const call = wire.call('SubscribeToTask', { id: taskId });
    const silence = new AbortController();
    const signal = AbortSignal.any([asked.signal, silence.signal]);
    let consuming = false;
    let watchdog: NodeJS.Timeout | undefined;
    // From when the peer can answer on, and set again by every byte, a heartbeat's as well; a dial that takes long is not
    // the link's silence, nor is a consumer that takes its time.
    const watch = () => {
      watchdog ??= setTimeout(
        () => (consuming ? watchdog?.refresh() : silence.abort()),
        params.heartbeatSeconds * 1000 * SILENT_HEARTBEATS,
      );
    };
    try {
      const response = await pool.request({ ...written(url, call, {}), signal }, watch);
      const streams = /^text\/event-stream\b/i.test(String(response.headers['content-type'] ?? ''));
      if (!streams || response.statusCode !== 200) {
        // An error instead of a stream is never an empty success (OPEN-19).
        call.answer(response.statusCode, await boundedText(response.body, maxFrameBytes));
        throw new PeerUnreachable('the answer to a subscribe is no event stream');
      }
      const parser = new SseParser(maxFrameBytes);
      const active = echoed(response);
      let begun = false;
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        watchdog?.refresh();
        consuming = true;
        for (const data of parser.push(chunk)) {
          yield remoteFrame(begun ? follower(call, data) : call.item(data), active);
          begun = true;
        }
        consuming = false;
        watchdog?.refresh();
      }
    } catch (error) {
      if (silence.signal.aborted) {
        pool.abandon();
        throw new PeerUnreachable('nothing came for 2.5 heartbeats');
      }
      throw broken(error);
    } finally {
      clearTimeout(watchdog);
    }
  }

  const taskOf = ({ result, echoed: active }: { result: unknown; echoed: boolean }): RemoteTask =>
    remoteTask(result, active);

  return {
    describe: endpoint,
    async create(request, call) {
      const params = { message: messageFromRequest(request), configuration: { returnImmediately: true } };
      const sent = wire.call('SendMessage', params);
      const { result, echoed: active } = await unary(sent, call, { req: requestDigest(request) });
      return remoteTask((result as { task?: unknown } | null)?.task, active);
    },
    get: async (id, cursor, call) => taskOf(await unary(wire.call('GetTask', { id }), call, { cursor })),
    observe,
    cancel: async (id, call) => taskOf(await unary(wire.call('CancelTask', { id }), call)),
    close: () => pool.destroy(),
  };
}

/** In mid-stream an error says nothing of the task: the stream has ended early (profile section 4). */
function follower(call: HttpCall, data: string): unknown {
  try {
    return call.item(data);
  } catch (error) {
    if (error instanceof PeerRefusal) throw new PeerUnreachable(`the stream broke off: ${error.reason}`);
    throw error;
  }
}

function echoed(response: Dispatcher.ResponseData): boolean {
  return activates(response.headers[EXTENSIONS_PARAMETER.toLowerCase()]);
}

/** From any transport or parser failure nothing can be concluded. */
function broken(error: unknown): Error {
  return error instanceof EventTooLong
    ? new PeerUnreachable(`an event above maxFrameBytes (${error.limit})`)
    : asUnreachable(error);
}
