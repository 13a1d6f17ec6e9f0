/** What the probes of A2A over HTTP have in common: service parameters as headers, and streams of server-sent events. */
import type { ClientRequest } from 'node:http';
import { EXT } from '../../profile/names.js';
import { asWireEnd, exchange, open, type RawAnswer, type RawRequest } from './http.js';
import type { Identity } from './identity.js';
import { type CallOptions, DEADLINE, type Json, type ProbeAnswer, type Session } from './probe.js';
import { StreamSession } from './stream-session.js';

/** The head lines of one call; `req` is the digest that its token is bound to. */
export async function callHeaders(
  identity: Identity,
  host: string,
  options: CallOptions,
  req?: string,
): Promise<Record<string, string>> {
  const token =
    options.token === undefined
      ? await identity.token(options.cap ?? ['repo:read'], req, options.abuse)
      : options.token;
  const headers: Record<string, string> = { host, 'content-type': 'application/json' };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (options.version !== null) headers['A2A-Version'] = options.version ?? '1.0';
  if (options.extensions !== false) headers['A2A-Extensions'] = options.extensions ?? EXT;
  if (options.cursor !== undefined) headers['OAB-Cursor'] = options.cursor;
  return Object.assign(headers, options.headers);
}

export async function fetchCard(raw: Pick<RawRequest, 'address' | 'reach'>, host: string): Promise<Json> {
  const asked = { ...raw, method: 'GET', path: '/.well-known/agent-card.json', headers: { host } };
  return JSON.parse((await exchange(asked, DEADLINE)).text) as Json;
}

/** `item` takes the stream item out of the binding's envelope. */
export function openSession(
  prepared: Promise<RawRequest>,
  answerOf: (answer: RawAnswer) => ProbeAnswer,
  item: (json: Json) => Json | undefined,
): Session {
  let request: ClientRequest | undefined;
  const session = new StreamSession({
    close: () => request?.destroy(),
    pause: () => request?.socket?.pause(),
    resume: () => request?.socket?.resume(),
  });
  prepared.then(
    (raw) => {
      request = open(raw);
      request.on('error', (error) => session.end(asWireEnd(error).kind));
      request.on('response', (response) => {
        if (!String(response.headers['content-type']).startsWith('text/event-stream')) {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            session.refuse(
              answerOf({
                status: response.statusCode ?? 0,
                headers: response.headers,
                text: Buffer.concat(chunks).toString('utf8'),
              }),
            ),
          );
          return;
        }
        session.opened();
        response.on('data', (chunk: Buffer) => session.bytes(chunk, item));
        response.on('error', (error) => session.end(asWireEnd(error).kind));
        response.on('end', () => session.end('fin'));
      });
    },
    (error: Error) => session.end(asWireEnd(error).kind),
  );
  return session;
}

/** What every answer has, and its JSON: an object, or an empty one for what is no JSON at all. */
export function partsOf({ status, headers, text }: RawAnswer): { answer: ProbeAnswer; body: Json } {
  const echoed = String(headers['a2a-extensions'] ?? '')
    .split(',')
    .some((uri) => uri.trim() === EXT);
  const retryAfter = headers['retry-after'];
  const answer = { status, echoed, text, ...(retryAfter === undefined ? {} : { retryAfter }) };
  let body: Json = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) body = parsed as Json;
  } catch {
    // An answer that is no JSON shows by having neither result nor error.
  }
  return { answer, body };
}

export interface ErrorInfo {
  reason?: string;
  metadata?: Record<string, string>;
}

export function errorOf(code: number, info: ErrorInfo | undefined): NonNullable<ProbeAnswer['error']> {
  const retry = info?.metadata?.retryAfterMs;
  return {
    code,
    reason: info?.metadata?.oabReason ?? info?.reason ?? '',
    ...(retry === undefined ? {} : { retryAfterMs: Number(retry) }),
  };
}
