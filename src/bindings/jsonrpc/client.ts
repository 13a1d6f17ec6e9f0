/** The coordinator's side of the JSON-RPC binding: raw wire JSON in both directions, bounded, never redirected. */
import type { Dispatcher } from 'undici';
import {
  type CallOptions,
  type PeerConnection,
  type PeerDescription,
  PeerUnreachable,
  type RemoteFrame,
  type RemoteTask,
} from '../../coordinator/connection.js';
import { activates } from '../../profile/card.js';
import { messageFromRequest } from '../../profile/message.js';
import type { DelegationRequest, Digest } from '../../profile/model.js';
import {
  A2A_VERSION,
  CURSOR_PARAMETER,
  EXT,
  EXTENSIONS_PARAMETER,
  VERSION_PARAMETER,
} from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { remoteFrame, remoteTask } from '../a2a/remote-task.js';
import type { DialOptions } from '../http/dial.js';
import { boundedText, exchange, fetchCard } from '../http/fetch-card.js';
import { openPool } from '../http/pool.js';
import { EventTooLong, SseParser } from '../http/sse-parser.js';
import { asUnreachable } from '../unreachable.js';
import { readAnswer } from './answer.js';

export interface JsonRpcClientOptions extends DialOptions {
  /** The peer's identity URL: the only origin that ever gets a token (OPEN-33). */
  url: string;
  /** A token for one call, with the request digest for the two send operations; undefined when a certificate does. */
  credentials(req?: Digest): string | undefined;
  /** For one unary answer. */
  timeoutMs: number;
}

const DEFAULT_FRAME_BYTES = 4 * 1024 * 1024;
/** Of silence on a stream, in heartbeats, before the link counts as dead (profile section 4). */
const SILENT_HEARTBEATS = 2.5;

export function connectJsonRpc(options: JsonRpcClientOptions): PeerConnection {
  const pool = openPool(options);
  const { origin } = new URL(options.url);
  const place = { pool, origin, timeoutMs: options.timeoutMs };
  let described: PeerDescription | undefined;
  let nextId = 1;

  const endpoint = async (call: CallOptions): Promise<PeerDescription> =>
    (described ??= await fetchCard(place, 'JSONRPC', call.signal));

  const post = (
    url: string,
    id: number,
    method: string,
    params: unknown,
    more: { req?: Digest; cursor?: string | undefined },
  ) => {
    const { pathname } = new URL(url);
    const token = options.credentials(more.req);
    return {
      origin,
      path: pathname,
      method: 'POST' as const,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        [VERSION_PARAMETER]: A2A_VERSION,
        [EXTENSIONS_PARAMETER]: EXT,
        ...(more.cursor === undefined ? {} : { [CURSOR_PARAMETER]: more.cursor }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    };
  };

  const unary = async (
    method: string,
    params: unknown,
    call: CallOptions,
    more: { req?: Digest; cursor?: string | undefined } = {},
  ): Promise<{ result: unknown; echoed: boolean }> => {
    const { url, params: card } = await endpoint(call);
    const id = nextId++;
    const { response, text } = await exchange(
      place,
      post(url, id, method, params, more),
      call.signal,
      card.limits.maxFrameBytes,
    );
    return { result: readAnswer(response.statusCode, text, id), echoed: echoed(response) };
  };

  async function* observe(taskId: string, call: CallOptions): AsyncGenerator<RemoteFrame> {
    const { url, params: card } = await endpoint(call);
    const id = nextId++;
    const silence = new AbortController();
    const signal = AbortSignal.any([call.signal, silence.signal]);
    let consuming = false;
    let watchdog: NodeJS.Timeout | undefined;
    // From when the peer can answer on, and set again by every byte, a heartbeat's as well; a dial that takes long is not
    // the link's silence, nor is a consumer that takes its time.
    const watch = () => {
      watchdog ??= setTimeout(
        () => (consuming ? watchdog?.refresh() : silence.abort()),
        card.heartbeatSeconds * 1000 * SILENT_HEARTBEATS,
      );
    };
    try {
      const asked = { ...post(url, id, 'SubscribeToTask', { id: taskId }, {}), signal };
      const response = await pool.request(asked, watch);
      if (!/^text\/event-stream\b/i.test(String(response.headers['content-type'] ?? ''))) {
        // An error instead of a stream is never an empty success (OPEN-19).
        readAnswer(response.statusCode, await boundedText(response.body, DEFAULT_FRAME_BYTES), id);
        throw new PeerUnreachable('the answer to a subscribe is no event stream');
      }
      const parser = new SseParser(card.limits.maxFrameBytes);
      const active = echoed(response);
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        watchdog?.refresh();
        consuming = true;
        for (const data of parser.push(chunk)) yield remoteFrame(readAnswer(200, data, id), active);
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
    async create(request: DelegationRequest, call) {
      const params = { message: messageFromRequest(request), configuration: { returnImmediately: true } };
      const { result, echoed: active } = await unary('SendMessage', params, call, {
        req: requestDigest(request),
      });
      return remoteTask((result as { task?: unknown } | null)?.task, active);
    },
    get: async (taskId, cursor, call) => taskOf(await unary('GetTask', { id: taskId }, call, { cursor })),
    observe,
    cancel: async (taskId, call) => taskOf(await unary('CancelTask', { id: taskId }, call)),
    close: () => pool.destroy(),
  };
}

function echoed(response: Dispatcher.ResponseData): boolean {
  return activates(response.headers[EXTENSIONS_PARAMETER.toLowerCase()]);
}

/** From any transport or parser failure nothing can be concluded. */
function broken(error: unknown): Error {
  return error instanceof EventTooLong
    ? new PeerUnreachable('an event above maxFrameBytes')
    : asUnreachable(error);
}
