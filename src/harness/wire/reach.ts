/** How a probe gets to a subject: TLS to it, directly or through a relay, which to the probe is an HTTPS proxy. */
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Address } from '../lab/ports.js';
import { keyLog } from '../lab/tls/key-log.js';

/** Whom a TLS connection must end at: PEM of its authority, and its name. */
export interface Peer {
  ca: string;
  servername: string;
}

export interface Reach {
  subject: Peer;
  /** Present where the subject listens nowhere. */
  relay?: Peer & {
    /** `host:port` of the subject's URL. */
    authority: string;
    token(): Promise<string>;
  };
}

/** Answers of a relay other than 200. */
export class RelayAnswer extends Error {
  override name = 'RelayAnswer';
  constructor(readonly status: number) {
    super(`the relay answered ${status}`);
  }
}

/** `address` is the subject's own, or the relay's. Calls back once, with a connection on which HTTP can be spoken. */
export function reach(
  { subject, relay }: Reach,
  address: Address,
  done: (error: Error | null, socket: Socket) => void,
): void {
  if (relay === undefined) {
    done(null, secure(subject, address));
    return;
  }
  relay.token().then(
    (token) => {
      const asked = httpRequest({
        createConnection: () => secure(relay, address),
        method: 'CONNECT',
        path: relay.authority,
        headers: { host: relay.authority, 'proxy-authorization': `Bearer ${token}` },
      });
      const fail = (error: Error) => done(error, undefined as never);
      asked.once('error', fail);
      asked.once('response', ({ statusCode = 0 }) => {
        asked.destroy();
        fail(new RelayAnswer(statusCode));
      });
      asked.once('connect', ({ statusCode = 0 }, way: Socket) => {
        if (statusCode !== 200) {
          way.destroy();
          fail(new RelayAnswer(statusCode));
          return;
        }
        way.on('error', () => {});
        done(null, secure(subject, way));
      });
      asked.end();
    },
    done as (error: Error) => void,
  );
}

const CONTEXTS = 16;
const contexts = new Map<string, SecureContext>();

/** Reading an authority costs as much as a handshake, and the connections of one case have the same one. */
function contextOf(ca: string): SecureContext {
  const known = contexts.get(ca) ?? createSecureContext({ ca, minVersion: 'TLSv1.3' });
  // The one that was used last is the last to go.
  contexts.delete(ca);
  contexts.set(ca, known);
  const [oldest] = contexts.keys();
  if (contexts.size > CONTEXTS && oldest !== undefined) contexts.delete(oldest);
  return known;
}

/** Every connection of a probe logs its secrets, so that the taps can tell its frames. */
function secure({ ca, servername }: Peer, to: Address | Socket): TLSSocket {
  const socket = tlsConnect({
    ...('port' in to && 'host' in to ? { host: to.host, port: to.port } : { socket: to as Socket }),
    secureContext: contextOf(ca),
    servername,
    ALPNProtocols: ['http/1.1'],
  });
  socket.on('keylog', (line: Buffer) => keyLog.add(line.toString('latin1')));
  return socket;
}
