/** Calls over a client's one connection: the frames of the binding under the coordinator and under the SDK's client alike. */
import type { CardParams } from '../../profile/model.js';
import type { DialOptions } from '../http/dial.js';
import { httpOriginOf } from '../http/fetch-card.js';
import { openLink } from '../websocket/link.js';
import { type Answer, readWssFrame } from './client-frames.js';
import { requestMembers } from './frames.js';
import { SUBPROTOCOL } from './names.js';

/** No peer is believed to need more. */
const MOST_FRAME_BYTES = 16 * 1024 * 1024;

export interface WssCallsOptions extends DialOptions {
  /** The interface's, ws or wss. */
  url: string;
  /** Of the upgrade; undefined when a certificate does. */
  token(): string | undefined | Promise<string | undefined>;
  params: Pick<CardParams, 'heartbeatSeconds' | 'limits'>;
  /** For the opening of a connection. */
  timeoutMs: number;
}

export interface Asking {
  method: string;
  params: unknown;
  serviceParameters: Record<string, string>;
  token: string | undefined;
}

export interface WssCalls {
  /** Rejects with RefusedCall, NotNegotiated or PeerUnreachable. */
  call(asking: Asking, signal: AbortSignal): Promise<Answer>;
  /** The items of a stream; ends with its end frame, whatever that says. What `read` throws ends the connection too. */
  stream<T>(asking: Asking, read: (answer: Answer) => T, signal: AbortSignal): AsyncGenerator<T, void>;
  close(): Promise<void>;
}

export function wssCalls({ url, params, ...options }: WssCallsOptions): WssCalls {
  const maxBytes = Math.min(params.limits.maxFrameBytes, MOST_FRAME_BYTES);
  const link = openLink({
    ...options,
    url: new URL(new URL(url).pathname, httpOriginOf(url)),
    subprotocol: SUBPROTOCOL,
    read: readWssFrame,
    maxBytes,
    opened: (wire) => wire.hold(params.heartbeatSeconds * 1000, maxBytes),
  });
  const members = ({ method, params: asked, serviceParameters, token }: Asking) =>
    requestMembers(method, asked, serviceParameters, token);
  return {
    async call(asking, signal) {
      const wire = await link.connected(signal);
      return (await wire.call(members(asking), signal)) as Answer;
    },
    async *stream(asking, read, signal) {
      const wire = await link.connected(signal);
      for await (const piece of wire.stream(members(asking), signal)) {
        if ('end' in piece) return;
        let item: ReturnType<typeof read>;
        try {
          item = read(piece.item as Answer);
        } catch (error) {
          // A peer that breaks the protocol is not listened to any further on this connection.
          wire.drop((error as Error).message);
          throw error;
        }
        yield item;
      }
    },
    close: link.close,
  };
}
