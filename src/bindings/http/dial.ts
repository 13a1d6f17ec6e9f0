/** Connections to one peer: what is dialled may differ from what the URL names (harness contract: `url`, `connect`). */
import type { KeyObject } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { inTime } from '../../identity/certificate.js';

export interface DialTls {
  /** PEM of the authorities that the server's certificate must chain to; the system's by default. */
  ca?: string;
  /** Whether this is the server's own key; without `ca` it alone decides. */
  pinned?: (key: KeyObject) => boolean;
  /** Our own certificate, for mTLS. */
  client?: { cert: string; key: string };
}

export interface DialOptions {
  /** `host:port` to dial; the URL's own by default. */
  connect?: string;
  /** Whether a plain http URL may be used: on loopback only. */
  insecureLoopback: boolean;
  /** Read for each new connection, so that a renewed certificate is used at once. */
  tls?(): DialTls;
  /** Opens the way to `authority` (`host:port` of the URL), inside which TLS is spoken end to end: a relay. */
  through?(authority: string): Promise<Duplex>;
}

const CONNECT_MS = 5000;

/** The server showed a key that configuration does not pin, or the pinned one in a certificate out of its time. */
export class WrongServerKey extends Error {
  override name = 'WrongServerKey';
}

/** What a connection is for; the URL's own words. */
type Aim = buildConnector.Options;
type Connect = (aim: Aim, callback: buildConnector.Callback) => void;

/** A pool that dials one address whatever the request's URL says; Host, SNI and certificate checks stay the URL's. */
export function dial(options: DialOptions): Dispatcher {
  return new Agent({
    // Streams are idle for as long as the peer is; liveness is watched by heartbeats.
    bodyTimeout: 0,
    headersTimeout: 0,
    pipelining: 1,
    connections: 256,
    connect: connectTo(options),
  });
}

/** The same for who speaks something else than HTTP on the connection; each call opens one to the URL. */
export function dialer(options: DialOptions): (url: URL) => Promise<Socket> {
  const connect = connectTo(options);
  return ({ protocol, hostname, host, port }) =>
    new Promise((resolve, reject) => {
      const bare = hostname.replace(/^\[|\]$/g, '');
      connect({ protocol, hostname: bare, host, port }, (error, socket) =>
        error === null && socket !== null ? resolve(socket) : reject(error),
      );
    });
}

function connectTo(options: DialOptions): Connect {
  const target = options.connect === undefined ? undefined : splitAddress(options.connect);
  const connectors = new Connectors();
  return (request, callback) => {
    const dialled =
      target === undefined
        ? request
        : { ...request, hostname: target.host, host: target.host, port: target.port };
    const loopback = /^(127\.|::1$|\[::1\]$|localhost$)/.test(dialled.hostname);
    if (request.protocol === 'http:' && !(options.insecureLoopback && loopback)) {
      callback(new Error('plain HTTP is for loopback with insecure_loopback only'), null);
      return;
    }
    const aim = { ...dialled, servername: request.servername ?? request.hostname };
    const tls = options.tls?.() ?? {};
    if (options.through === undefined) {
      connectors.connect(aim, tls, callback);
      return;
    }
    options.through(`${request.hostname}:${request.port === '' ? '443' : request.port}`).then(
      (way) => connectors.connect({ ...aim, httpSocket: way as Socket }, tls, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** The connectors of one pool: a renewed certificate, authority or pin is in force with the next connection. */
class Connectors {
  #made: buildConnector.connector | undefined;
  #for: DialTls | undefined;
  /** Of the last connection whose key was the pinned one: a resumed session shows no certificate any more. */
  #session: { bytes: Buffer; shown: Shown } | undefined;

  connect(target: buildConnector.Options, tls: DialTls, callback: buildConnector.Callback): void {
    if (tls.pinned === undefined) this.#chained(tls)(target, callback);
    else this.#pinned(target, tls, tls.pinned, callback);
  }

  /** One connector, with undici's cache of sessions, for as long as the certificates stay the same. */
  #chained(tls: DialTls): buildConnector.connector {
    const { ca, client } = this.#for ?? {};
    const same = this.#made !== undefined && ca === tls.ca && client?.cert === tls.client?.cert;
    this.#for = tls;
    if (!same || this.#made === undefined) this.#made = buildConnector(common(tls));
    return this.#made;
  }

  /** Only a session whose server proved the pinned key is resumed, and only while that key is still pinned. */
  #pinned(
    target: buildConnector.Options,
    tls: DialTls,
    pinned: (key: KeyObject) => boolean,
    callback: buildConnector.Callback,
  ): void {
    const left = this.#session;
    const stands = left !== undefined && pinned(left.shown.key) && inTime(left.shown, Date.now());
    const resumed = stands ? left : undefined;
    const connector = buildConnector({
      ...common(tls),
      // Without an authority the key alone decides.
      rejectUnauthorized: tls.ca !== undefined,
      maxCachedSessions: 0,
      ...(resumed === undefined ? {} : { session: resumed.bytes }),
    });
    connector(target, (...outcome) => {
      const [, socket] = outcome;
      if (!(socket instanceof TLSSocket)) return callback(...outcome);
      const shown = socket.isSessionReused() ? resumed?.shown : shownOn(socket);
      const no = (why: string) => {
        socket.destroy();
        callback(new WrongServerKey(why), null);
      };
      if (shown === undefined || !pinned(shown.key))
        return no('the server’s TLS key is not the pinned one (tls_key)');
      if (!inTime(shown, Date.now()))
        return no(
          'the server’s certificate is not in its time, although its key is the pinned one (tls_key)',
        );
      socket.on('session', (bytes: Buffer) => {
        this.#session = { bytes, shown };
      });
      callback(...outcome);
    });
  }
}

/** What a server's certificate says of itself; times in ms. */
interface Shown {
  key: KeyObject;
  validFrom: number;
  validTo: number;
}

function shownOn(socket: TLSSocket): Shown | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const { publicKey: key, validFrom, validTo } = certificate;
  return { key, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) };
}

function common({ ca, client }: DialTls) {
  return {
    timeout: CONNECT_MS,
    minVersion: 'TLSv1.3' as const,
    ALPNProtocols: ['http/1.1'],
    ...(ca === undefined ? {} : { ca }),
    ...client,
  };
}

function splitAddress(address: string): { host: string; port: string } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: address.slice(colon + 1) };
}
