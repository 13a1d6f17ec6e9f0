/** A server that says to a client of any A2A binding over HTTP exactly what a test says, right or wrong. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXT, KEY } from '../../profile/names.js';
import { agentCard } from '../a2a/card.js';
import { PARAMS } from './params.js';
import { URL_ } from './rig.js';

type Json = Record<string, unknown>;
export type HttpBinding = 'JSONRPC' | 'HTTP+JSON';
type Operation = 'create' | 'get' | 'cancel' | 'observe';

/** How one binding says things. */
export interface Words {
  operationOf(request: IncomingMessage, body: string): { operation: Operation; id?: unknown };
  /** `id` is JSON-RPC's. */
  result(json: unknown, id: unknown): string;
  refusal(reason: string, id: unknown, metadata?: Json): { status: number; text: string };
  type: string;
}

const info = (reason: string, metadata?: Json) => [
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'a2a-protocol.org',
    ...(metadata && { metadata }),
  },
];
const BY_METHOD: Record<string, Operation> = {
  SendMessage: 'create',
  GetTask: 'get',
  CancelTask: 'cancel',
  SubscribeToTask: 'observe',
};
const CODES: Record<string, [rpc: number, http: number]> = {
  TASK_NOT_FOUND: [-32001, 404],
  UNSUPPORTED_OPERATION: [-32004, 400],
  INTERNAL_ERROR: [-32603, 503],
};

export const WORDS: Readonly<Record<HttpBinding, Words>> = {
  JSONRPC: {
    operationOf(_request, body) {
      const { method, id } = JSON.parse(body) as { method: string; id: unknown };
      return { operation: BY_METHOD[method] as Operation, id };
    },
    result: (result, id) => JSON.stringify({ jsonrpc: '2.0', id, result }),
    refusal(reason, id, metadata) {
      const [code, http] = CODES[reason] ?? [-32602, 400];
      const error = { code, message: 'x', data: info(reason, metadata) };
      return { status: http === 503 ? 503 : 200, text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
    },
    type: 'application/json',
  },
  'HTTP+JSON': {
    operationOf({ url = '', method }) {
      if (url.endsWith('/message:send')) return { operation: 'create' };
      if (url.endsWith(':cancel')) return { operation: 'cancel' };
      if (url.endsWith(':subscribe')) return { operation: 'observe' };
      return { operation: method === 'GET' ? 'get' : 'create' };
    },
    result: (result) => JSON.stringify(result),
    refusal(reason, _id, metadata) {
      const [, code] = CODES[reason] ?? [-32602, 400];
      const error = { code, status: 'X', message: 'x', details: info(reason, metadata) };
      return { status: code, text: JSON.stringify({ error }) };
    },
    type: 'application/a2a+json',
  },
};

export const TASK = 't-1';
const TIME = '2026-01-01T00:00:00.000Z';

export function taskAt(sequence: number): Json {
  return {
    id: TASK,
    contextId: 'c-1',
    status: { state: 'TASK_STATE_WORKING', timestamp: TIME },
    metadata: { [KEY.event]: { turn_id: 'u', sequence, cursor: `c${sequence}` } },
  };
}

export function eventAt(sequence: number, state = 'WORKING'): Json {
  const status = { state: `TASK_STATE_${state}`, timestamp: TIME };
  const metadata = { [KEY.event]: { turn_id: 'u', sequence, cursor: `c${sequence}` } };
  return { statusUpdate: { taskId: TASK, contextId: 'c-1', status, metadata } };
}

export interface Said {
  words: Words;
  id: unknown;
  response: ServerResponse;
  /** A whole answer. */
  whole(text: string, status?: number, type?: string): void;
  /** Begins a stream; what it gives writes one item. */
  stream(): (item: unknown) => void;
}

/** Answers as an honest peer does unless `say` returns true. */
export async function openHostile(
  binding: HttpBinding,
  say: (operation: Operation, said: Said) => boolean | undefined,
  card: (card: Json) => unknown = (honest) => honest,
) {
  const words = WORDS[binding];
  const asked: string[] = [];
  const honest = agentCard(
    {
      peer: 'oab-b',
      publicUrl: URL_,
      version: '1',
      required: true,
      params: PARAMS,
    },
    [{ url: URL_, protocolBinding: binding }],
  );
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.url === '/.well-known/agent-card.json') {
      asked.push('card');
      response.end(JSON.stringify(card(honest)));
      return;
    }
    const { operation, id } = words.operationOf(request, body);
    asked.push(operation);
    const headers = { 'a2a-extensions': EXT };
    const said: Said = {
      words,
      id,
      response,
      whole: (text, status = 200, type = words.type) =>
        void response.writeHead(status, { ...headers, 'content-type': type }).end(text),
      stream() {
        response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
        return (item) => void response.write(`data: ${words.result(item, id)}\n\n`);
      },
    };
    if (say(operation, said) === true) return;
    if (operation === 'observe') {
      const write = said.stream();
      write({ task: taskAt(2) });
      write(eventAt(3));
      write(eventAt(4, 'COMPLETED'));
      response.end();
    } else said.whole(words.result(operation === 'create' ? { task: taskAt(1) } : taskAt(2), id));
  };
  const server = createServer(
    (request, response) => void serve(request, response).catch(() => response.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    connect: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
