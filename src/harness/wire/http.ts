/** Raw HTTP/1.1 for the probes: every header and byte as the case wants it, one connection per request. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Address } from '../lab/ports.js';
import { type Reach, reach } from './reach.js';

export interface RawRequest {
  address: Address;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Absent: plain HTTP. */
  reach?: Reach;
}

export interface RawAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** How a connection ended before its answer did: `reset`, `refused`, `cut` (an end inside the answer). */
export class WireEnd extends Error {
  override name = 'WireEnd';
  constructor(
    readonly kind: 'reset' | 'refused' | 'cut' | 'late',
    detail: string,
  ) {
    super(`${kind}: ${detail}`);
  }
}

const MAX_ANSWER = 64 * 1024 * 1024;

export function open(raw: RawRequest): ClientRequest {
  const { address, method, path, headers, body, reach: way } = raw;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = httpRequest({
    host: address.host,
    port: address.port,
    method,
    path,
    headers: { ...length, ...headers },
    ...(way === undefined
      ? { agent: false }
      : {
          createConnection: ((_: unknown, done: (error: Error | null, socket: Socket) => void) =>
            reach(way, address, done)) as never,
        }),
  });
  request.setNoDelay(true);
  request.end(body);
  return request;
}

/** The whole answer, within `deadlineMs`. Rejects with WireEnd. */
export function exchange(raw: RawRequest, deadlineMs: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = open(raw);
    const timer = setTimeout(
      () => request.destroy(new WireEnd('late', `no answer in ${deadlineMs} ms`)),
      deadlineMs,
    );
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(asWireEnd(error));
    };
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER) request.destroy(new WireEnd('cut', 'an answer without end'));
        chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        if (!response.complete) return reject(new WireEnd('cut', 'the answer was not whole'));
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
  });
}

export function asWireEnd(error: Error): WireEnd {
  if (error instanceof WireEnd) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return new WireEnd('refused', error.message);
  return new WireEnd(code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : 'cut', `${code} ${error.message}`);
}
