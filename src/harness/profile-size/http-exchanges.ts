/**
 * Captured bytes back into exchanges: each request with its answer, in the order of the connection. A request in a
 * WebSocket frame is one as HTTP would have it, with its service parameters as headers.
 */
import { Violation } from '../check.js';
import type { TapConnection } from '../lab/ports.js';
import { websocketMessages } from '../lab/websocket-messages.js';
import { SseReader } from '../wire/sse.js';

export interface HttpMessage {
  /** The first line: `POST / HTTP/1.1`, `HTTP/1.1 200 OK`. */
  line: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Its JSON documents: one, or one per event of a stream. */
  documents: unknown[];
}

export interface HttpExchange {
  request: HttpMessage;
  /** Absent when the connection ended first. */
  answer: HttpMessage | undefined;
}

export function httpExchanges(connections: readonly TapConnection[]): HttpExchange[] {
  return connections.flatMap((connection) => {
    const sent = websocketMessages(connection.plain('upstream'));
    if (sent.length > 0) return inFrames(sent, websocketMessages(connection.plain('downstream')));
    const answers = messages(connection.plain('downstream')).filter(({ line }) => !/ 1\d\d /.test(line));
    return messages(connection.plain('upstream')).map((request, index) => ({
      request,
      answer: answers[index],
    }));
  });
}

interface RpcFrame {
  id?: unknown;
  method?: string;
  serviceParameters?: Record<string, string>;
}

function inFrames(sent: readonly { text: string }[], received: readonly { text: string }[]): HttpExchange[] {
  const answers = received.map(({ text }) => parsed(text) as RpcFrame);
  const asMessage = (line: string, frames: readonly RpcFrame[]): HttpMessage => ({
    line,
    headers: Object.fromEntries(
      Object.entries(frames[0]?.serviceParameters ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    documents: frames.map(({ serviceParameters: _, ...document }) => document),
  });
  return sent.flatMap(({ text }) => {
    const request = parsed(text) as RpcFrame;
    if (!('id' in request)) return [];
    const own = answers.filter(({ id }) => id === request.id);
    const answer = own.length === 0 ? undefined : asMessage('HTTP/1.1 200 OK', own);
    return [{ request: asMessage('POST / HTTP/1.1', [request]), answer }];
  });
}

function messages(bytes: Buffer): HttpMessage[] {
  const found: HttpMessage[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const [line = '', ...fields] = bytes.toString('latin1', at, end).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const { body, next } = bodyAt(bytes, end + 4, headers, line.startsWith('HTTP/'));
    found.push({ line, headers, documents: documents(body, headers['content-type'] ?? '') });
    at = next;
  }
  return found;
}

/** RFC 9112 section 6: chunked, by length, or of an answer that has neither to the end of the connection. */
function bodyAt(
  bytes: Buffer,
  start: number,
  headers: Record<string, string>,
  isAnswer: boolean,
): { body: Buffer; next: number } {
  if (headers['transfer-encoding'] === 'chunked') return chunks(bytes, start);
  const length = headers['content-length'];
  if (length === undefined && !isAnswer) return { body: Buffer.alloc(0), next: start };
  const next = length === undefined ? bytes.length : Math.min(bytes.length, start + Number(length));
  return { body: bytes.subarray(start, next), next };
}

function chunks(bytes: Buffer, start: number): { body: Buffer; next: number } {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    // A stream that was cut ends where it ends.
    if (line === -1) return { body: Buffer.concat(parts), next: bytes.length };
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (size === 0) return { body: Buffer.concat(parts), next: bytes.indexOf('\r\n', line + 2) + 2 };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

function documents(body: Buffer, type: string): unknown[] {
  if (type.startsWith('text/event-stream')) {
    return new SseReader().push(body).map(({ data }) => parsed(data));
  }
  return /json/.test(type) && body.length > 0 ? [parsed(body.toString('utf8'))] : [];
}

/** What cannot be read cannot be counted. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Violation(`a body that is no JSON: ${text.slice(0, 200)}`);
  }
}
