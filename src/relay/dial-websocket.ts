/** Dials a relay by WebSocket over TLS 1.3 and gives the open connection as a stream of bytes. */
import { connect as tlsConnect } from 'node:tls';
import { WebSocket } from 'ws';
import { placeOf } from './place.js';
import { CONNECT_PROTOCOL, MAX_MESSAGE } from './protocols.js';
import { WsDuplex } from './ws-duplex.js';

/** How to reach one relay; read for each attempt, so that renewed keys and certificates are used at once. */
export interface RelayTarget {
  /** `wss://relay/` or `https://relay/`: its identity. */
  url: string;
  /** `host:port` to dial in place of the URL's. */
  connect?: string;
  tls(): { ca?: string; cert?: string; key?: string };
  /** A relay token; undefined when a certificate does. */
  credentials(): string | undefined;
}

/** The relay answered, but not with a connection: a transport error, from which no outcome follows. */
export class RelayRefused extends Error {
  override name = 'RelayRefused';
  constructor(readonly status: number) {
    super(`the relay answered ${status}`);
  }
}

/** `path` is relative to the relay's URL. Rejects with RelayRefused, or with what the network said. */
export function dialWebSocket(
  target: RelayTarget,
  path: string,
  protocol: string,
  timeoutMs: number,
  more: Readonly<Record<string, string>> = {},
): Promise<{ ws: WebSocket; duplex: WsDuplex }> {
  const token = target.credentials();
  const url = new URL(path, target.url);
  url.protocol = 'wss:';
  const ws = new WebSocket(url, protocol, {
    // The library dials the URL's own host; ours may be elsewhere.
    createConnection: (() =>
      tlsConnect({
        ...placeOf(target),
        ...target.tls(),
        minVersion: 'TLSv1.3',
        ALPNProtocols: ['http/1.1'],
      })) as never,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload: MAX_MESSAGE,
    handshakeTimeout: timeoutMs,
    headers: { ...more, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  });
  return new Promise((resolve, reject) => {
    ws.once('unexpected-response', (_, { statusCode = 0 }) => {
      reject(new RelayRefused(statusCode));
      ws.terminate();
    });
    ws.on('error', reject);
    ws.once('upgrade', ({ socket }) => {
      const halves = protocol === CONNECT_PROTOCOL;
      ws.once('open', () => resolve({ ws, duplex: new WsDuplex(ws, socket, { client: true, halves }) }));
    });
  });
}
