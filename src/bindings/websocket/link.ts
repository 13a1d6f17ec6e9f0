/** A client's one connection to a peer, opened anew by whoever asks next. */
import { PeerUnreachable } from '../../coordinator/connection.js';
import { type DialOptions, dialer } from '../http/dial.js';
import { asUnreachable } from '../unreachable.js';
import { openWebSocket } from './client-dial.js';
import type { ReadServerFrame } from './client-frames.js';
import { ClientWire } from './client-wire.js';

export interface LinkOptions extends DialOptions {
  /** http or https. */
  url: URL;
  subprotocol: string;
  read: ReadServerFrame;
  /** Of the upgrade; undefined when a certificate does. */
  token(): string | undefined | Promise<string | undefined>;
  /** For the opening of a connection. */
  timeoutMs: number;
  /** Bytes of one frame. */
  maxBytes: number;
  /** What is done with each connection before anything is sent over it. */
  opened(wire: ClientWire): void;
}

export interface Link {
  /** Several who ask at once share one connection. Rejects with PeerRefusal, NotNegotiated or PeerUnreachable. */
  connected(signal: AbortSignal): Promise<ClientWire>;
  close(): Promise<void>;
}

const GIVEN_UP = 'the connection was given up';

export function openLink(options: LinkOptions): Link {
  const dial = dialer(options);
  const { url, subprotocol, read, timeoutMs, maxBytes } = options;
  let opening: Promise<ClientWire> | undefined;
  let wire: ClientWire | undefined;
  let closed = false;

  const open = async (): Promise<ClientWire> => {
    const socket = await dial(url);
    const made = await openWebSocket(
      url,
      subprotocol,
      socket,
      await options.token(),
      { maxBytes, timeoutMs },
      (ws) => new ClientWire(ws, socket, read, maxBytes),
    );
    options.opened(made);
    if (closed) made.drop(GIVEN_UP);
    wire = made;
    return made;
  };

  return {
    async connected(signal) {
      if (wire !== undefined && !wire.isLost) return wire;
      if (closed) throw new PeerUnreachable(GIVEN_UP);
      opening ??= open().finally(() => {
        opening = undefined;
      });
      try {
        return await unlessAborted(opening, signal);
      } catch (error) {
        throw asUnreachable(error);
      }
    },
    async close() {
      closed = true;
      wire?.drop(GIVEN_UP);
      // One that is being opened is dropped as soon as it is.
      await opening?.catch(() => undefined);
    },
  };
}

/** A peer that breaks the protocol is not listened to any further on this connection. */
export function held<T>(wire: ClientWire, read: () => T): T {
  try {
    return read();
  } catch (error) {
    wire.drop((error as Error).message);
    throw error;
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new PeerUnreachable('no connection in time'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
