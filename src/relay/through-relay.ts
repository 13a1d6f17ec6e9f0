/** The coordinator's end: a connection to an executor through a relay, which to it is an authenticated HTTPS proxy. */
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { dialWebSocket, RelayRefused, type RelayTarget } from './dial-websocket.js';
import { placeOf } from './place.js';
import { CONNECT_PROTOCOL } from './protocols.js';

export interface ProxyTarget extends RelayTarget {
  /** `connect`: HTTP CONNECT; `websocket`: WSS `/connect/<route>`, for a balancer that ends HTTP. */
  transport: 'connect' | 'websocket';
}

/** `authority` is the `host:port` of the executor's public URL, which is its route. Rejects with RelayRefused, or with what the network said. */
export function connectThrough(target: ProxyTarget, authority: string, timeoutMs: number): Promise<Duplex> {
  return target.transport === 'connect'
    ? byConnect(target, authority, timeoutMs)
    : byWebSocket(target, authority, timeoutMs);
}

function byConnect(target: ProxyTarget, authority: string, timeoutMs: number): Promise<Duplex> {
  const token = target.credentials();
  return new Promise((resolve, reject) => {
    const asked = request({
      ...placeOf(target),
      ...target.tls(),
      minVersion: 'TLSv1.3',
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(token === undefined ? {} : { 'proxy-authorization': `Bearer ${token}` }),
      },
      agent: false,
      timeout: timeoutMs,
    });
    asked.once('timeout', () => asked.destroy(new Error('the relay did not answer in time')));
    asked.once('error', reject);
    asked.once('response', (response) => {
      response.resume();
      asked.destroy();
      reject(new RelayRefused(response.statusCode ?? 0));
    });
    asked.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        reject(new RelayRefused(statusCode));
        return;
      }
      socket.setTimeout(0);
      socket.setNoDelay(true);
      if (head.length > 0) socket.unshift(head);
      // What becomes of it is seen by the TLS connection inside, which is closed with it.
      socket.on('error', () => {});
      resolve(socket);
    });
    asked.end();
  });
}

async function byWebSocket(target: ProxyTarget, authority: string, timeoutMs: number): Promise<Duplex> {
  const path = `connect/${encodeURIComponent(authority)}`;
  return (await dialWebSocket(target, path, CONNECT_PROTOCOL, timeoutMs)).duplex;
}
