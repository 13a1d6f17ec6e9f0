/** The coordinator's side of the A2A binding over WebSocket: raw wire JSON in both directions, one connection. */
import {
  type CallOptions,
  NotNegotiated,
  type PeerConnection,
  type PeerDescription,
  PeerUnreachable,
  type RemoteFrame,
  type RemoteTask,
} from '../../coordinator/connection.js';
import { timeLimit } from '../../coordinator/time-limit.js';
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
import { fetchCard } from '../http/fetch-card.js';
import { openPool } from '../http/pool.js';
import { type Asking, type WssCalls, wssCalls } from './calls.js';
import type { Answer } from './client-frames.js';

export interface WssClientOptions extends DialOptions {
  /** The peer's identity URL, http or https: the only origin that ever gets a token (OPEN-33). */
  url: string;
  /** A token for one call, with the request digest for a create; undefined when a certificate does. */
  credentials(req?: Digest): string | undefined;
  /** For one unary answer, and for the opening of a connection. */
  timeoutMs: number;
}

export function connectWss(options: WssClientOptions): PeerConnection {
  const pool = openPool(options);
  const { origin } = new URL(options.url);
  const place = { pool, origin, timeoutMs: options.timeoutMs };
  let found: { description: PeerDescription; calls: WssCalls } | undefined;
  let closed = false;

  const peer = async ({ signal }: CallOptions) => {
    if (closed) throw new PeerUnreachable('the connection was given up');
    if (found !== undefined) return found;
    const description = await fetchCard(place, 'WSS', signal);
    const { url, params } = description;
    if (!/^wss?:/.test(url)) throw new NotNegotiated('the card’s interface is no WebSocket');
    found ??= {
      description,
      calls: wssCalls({ ...options, url, params, token: () => options.credentials() }),
    };
    return found;
  };

  const asking = (method: string, params: unknown, cursor?: string, req?: Digest): Asking => ({
    method,
    params,
    serviceParameters: {
      [VERSION_PARAMETER]: A2A_VERSION,
      [EXTENSIONS_PARAMETER]: EXT,
      ...(cursor === undefined ? {} : { [CURSOR_PARAMETER]: cursor }),
    },
    token: options.credentials(req),
  });

  const unary = async (
    call: CallOptions,
    ...asked: Parameters<typeof asking>
  ): Promise<{ result: unknown; echoed: boolean }> => {
    const { calls } = await peer(call);
    const timed = timeLimit(options.timeoutMs, call.signal);
    try {
      return await calls.call(asking(...asked), timed.signal);
    } finally {
      timed.end();
    }
  };

  async function* observe(taskId: string, call: CallOptions): AsyncGenerator<RemoteFrame> {
    const { calls } = await peer(call);
    // Said once, with the first item.
    let active = false;
    const read = ({ result, echoed }: Answer) => {
      active ||= echoed;
      return remoteFrame(result, active);
    };
    yield* calls.stream(asking('SubscribeToTask', { id: taskId }), read, call.signal);
  }

  const taskOf = ({ result, echoed }: Answer): RemoteTask => remoteTask(result, echoed);

  return {
    describe: async (call) => (await peer(call)).description,
    async create(request: DelegationRequest, call) {
      const params = { message: messageFromRequest(request), configuration: { returnImmediately: true } };
      const { result, echoed } = await unary(call, 'SendMessage', params, undefined, requestDigest(request));
      return remoteTask((result as { task?: unknown } | null)?.task, echoed);
    },
    get: async (taskId, cursor, call) => taskOf(await unary(call, 'GetTask', { id: taskId }, cursor)),
    observe,
    cancel: async (taskId, call) => taskOf(await unary(call, 'CancelTask', { id: taskId })),
    async close() {
      closed = true;
      await Promise.all([found?.calls.close(), pool.destroy()]);
    },
  };
}
