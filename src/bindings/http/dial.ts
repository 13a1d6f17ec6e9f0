/** Connections to one peer: what is dialled may differ from what the URL names (harness contract: `url`, `connect`). */
import { Agent, buildConnector, type Dispatcher } from 'undici';

export interface DialOptions {
  /** `host:port` to dial; the URL's own by default. */
  connect?: string;
  /** Whether a plain http URL may be used: on loopback only. */
  insecureLoopback: boolean;
}

const CONNECT_MS = 5000;

/** A pool that dials one address whatever the request's URL says; Host, SNI and certificate checks stay the URL's. */
export function dial(options: DialOptions): Dispatcher {
  const connector = buildConnector({ timeout: CONNECT_MS });
  const target = options.connect === undefined ? undefined : splitAddress(options.connect);
  return new Agent({
    // Streams are idle for as long as the peer is; liveness is watched by heartbeats.
    bodyTimeout: 0,
    headersTimeout: 0,
    pipelining: 1,
    connections: 256,
    connect: (request, callback) => {
      const dialled =
        target === undefined
          ? request
          : { ...request, hostname: target.host, host: target.host, port: target.port };
      const loopback = /^(127\.|::1$|\[::1\]$|localhost$)/.test(dialled.hostname);
      if (request.protocol === 'http:' && !(options.insecureLoopback && loopback)) {
        callback(new Error('plain HTTP is for loopback with insecure_loopback only'), null);
        return;
      }
      connector({ ...dialled, servername: request.servername ?? request.hostname }, callback);
    },
  });
}

function splitAddress(address: string): { host: string; port: string } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: address.slice(colon + 1) };
}
