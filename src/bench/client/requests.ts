/** Requests as the bytes that go out, made before the clock starts: what a caller computes is not the server's cost. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { StoredKey } from '../../identity/key-file.js';
import { MAX_LIFETIME, mintToken } from '../../identity/token.js';
import { messageFromRequest } from '../../profile/message.js';
import type { DelegationRequest } from '../../profile/model.js';
import { CURSOR_PARAMETER, EXT, EXTENSIONS_PARAMETER } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { type Plan, planText } from '../plan.js';

export interface Requests {
  /** `SendMessage` that answers at once. */
  create(plan: Plan): Buffer;
  /** `SendStreamingMessage`. */
  stream(plan: Plan): Buffer;
  subscribe(taskId: string): Buffer;
  get(taskId: string, cursor?: string): Buffer;
  /** What the other bindings of the executor are asked with: a new request of a plan, and tokens. */
  parts?: { requestOf(plan: Plan): DelegationRequest; token(req?: string): string };
}

export const CALLER = 'oab-a';
export const EXECUTOR = 'oab-b';
/** What every request says it is for; only what comes through a tunnel is held to it. */
export const HOST = 'oab-b.bench';

function bytes(method: string, params: unknown, headers: Record<string, string>): Buffer {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const lines = Object.entries({
    host: HOST,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'A2A-Version': '1.0',
    connection: /^SendStreaming|^Subscribe/.test(method) ? 'close' : 'keep-alive',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

const AT_ONCE = { configuration: { returnImmediately: true } };

/** A caller of the reference executor: profile, token with the digest on each create, cursors. */
export function ourRequests(key: StoredKey): Requests {
  const { privateKey, kid } = key;
  if (privateKey === undefined) throw new Error('the caller needs its private key');
  const headers = (req?: string): Record<string, string> => ({
    [EXTENSIONS_PARAMETER]: EXT,
    authorization: `Bearer ${mintToken(
      { kid, key: privateKey },
      {
        caller: CALLER,
        executor: EXECUTOR,
        cap: ['repo:read'],
        now: Date.now(),
        jti: randomUUID(),
        lifetime: MAX_LIFETIME,
        ...(req === undefined ? {} : { req }),
      },
    )}`,
  });
  const send = (method: string, plan: Plan, more = {}) => {
    const request = requestOf(planText(plan));
    return bytes(method, { message: messageFromRequest(request), ...more }, headers(requestDigest(request)));
  };
  return {
    parts: {
      requestOf: (plan) => requestOf(planText(plan)),
      token: (req) => String(headers(req).authorization).slice('Bearer '.length),
    },
    create: (plan) => send('SendMessage', plan, AT_ONCE),
    stream: (plan) => send('SendStreamingMessage', plan),
    subscribe: (id) => bytes('SubscribeToTask', { id }, headers()),
    get: (id, cursor) =>
      bytes(
        'GetTask',
        { id },
        cursor === undefined ? headers() : { ...headers(), [CURSOR_PARAMETER]: cursor },
      ),
  };
}

function requestOf(task: string): DelegationRequest {
  return {
    protocol_version: 1,
    request_id: `req-${randomUUID()}`,
    nonce: randomBytes(16).toString('hex'),
    issued_at: new Date().toISOString(),
    target_peer: EXECUTOR,
    task,
    capabilities: ['repo:read'],
    deadline_ms: 3_600_000,
    budget: { max_output_bytes: 1024 * 1024 },
    delegation_depth: 0,
  };
}

/** A caller of the stock server: plain A2A. */
export const stockRequests: Requests = {
  create: (plan) => bytes('SendMessage', { message: plainMessage(plan), ...AT_ONCE }, {}),
  stream: (plan) => bytes('SendStreamingMessage', { message: plainMessage(plan) }, {}),
  subscribe: (id) => bytes('SubscribeToTask', { id }, {}),
  get: (id) => bytes('GetTask', { id }, {}),
};

function plainMessage(plan: Plan) {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: planText(plan) }] };
}
