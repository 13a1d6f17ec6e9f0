/** The HTTP+JSON binding as the harness speaks it in an executor's place: A2A's operations by verb and path. */
import type { FakeWire } from './fake-http.js';

const TASK = /^\/tasks\/([^/]+?)(:cancel|:subscribe)?$/;
/** By the code of the same error on JSON-RPC (A2A 5.4). */
const STATUS: Readonly<Record<number, [http: number, status: string]>> = {
  [-32001]: [404, 'NOT_FOUND'],
  [-32002]: [400, 'FAILED_PRECONDITION'],
  [-32004]: [400, 'FAILED_PRECONDITION'],
};

export const HTTP_JSON: FakeWire = {
  binding: 'HTTP+JSON',
  type: 'application/a2a+json',
  read({ method }, path, body) {
    if (path === '/message:send') return { method: 'SendMessage', params: JSON.parse(body) };
    const [, encoded = '', verb] = TASK.exec(path) ?? [];
    const params = { id: decodeURIComponent(encoded) };
    if (verb === ':subscribe') return { method: 'SubscribeToTask', params };
    if (verb === ':cancel') return { method: 'CancelTask', params };
    if (method === 'GET' && encoded !== '') return { method: 'GetTask', params };
    throw new Error(`no operation at ${path}`);
  },
  item: (_id, result) => result,
  answer(_id, { result, error }) {
    if (error === undefined) return { status: 200, json: result };
    const { code, message, data } = error;
    const [http, status] = STATUS[code] ?? [400, 'INVALID_ARGUMENT'];
    return { status: http, json: { error: { code: http, status, message, details: data } } };
  },
};
