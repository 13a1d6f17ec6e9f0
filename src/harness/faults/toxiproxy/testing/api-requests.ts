/** One story told to the HTTP API, request by request, with what must be answered. */

export interface ApiRequest {
  ask: string;
  body?: unknown;
  userAgent?: string;
  status: number;
  /** Members that the answer must have; addresses are left out, since they differ. */
  has?: Record<string, unknown>;
}

const PROXY = '/proxies/story.of-the-api';
const latency = { type: 'latency', attributes: { latency: 5, jitter: 2 } };

export const apiRequests: readonly ApiRequest[] = [
  { ask: 'GET /version', status: 200 },
  {
    ask: 'POST /proxies',
    body: { name: '', upstream: '127.0.0.1:1' },
    status: 400,
    has: { error: 'missing required field: name', status: 400 },
  },
  {
    ask: 'POST /proxies',
    body: { name: 'x' },
    status: 400,
    has: { error: 'missing required field: upstream' },
  },
  { ask: 'POST /proxies', body: 'no object', status: 400 },
  { ask: 'POST /proxies', body: { name: 7, upstream: '127.0.0.1:1' }, status: 400 },
  {
    ask: 'POST /proxies',
    body: { name: 'story.of-the-api', listen: '127.0.0.1:0', upstream: '127.0.0.1:1' },
    status: 201,
    has: { name: 'story.of-the-api', upstream: '127.0.0.1:1', enabled: true, toxics: [] },
  },
  {
    ask: 'POST /proxies',
    body: { name: 'story.of-the-api', upstream: '127.0.0.1:1' },
    status: 409,
    has: { error: 'proxy already exists', status: 409 },
  },
  { ask: 'GET /proxies', status: 200 },
  { ask: 'GET /proxies', userAgent: 'Mozilla/5.0', status: 403 },
  { ask: 'PUT /proxies', status: 405 },
  { ask: 'GET /nothing', status: 404 },
  { ask: 'GET /proxies/other', status: 404, has: { error: 'proxy not found', status: 404 } },
  { ask: `GET ${PROXY}`, status: 200, has: { enabled: true } },
  { ask: `POST ${PROXY}`, body: { enabled: false }, status: 200, has: { enabled: false } },
  { ask: `PATCH ${PROXY}`, body: { enabled: true }, status: 200, has: { enabled: true } },
  {
    ask: `POST ${PROXY}/toxics`,
    body: { type: 'nonsense' },
    status: 400,
    has: { error: 'invalid toxic type' },
  },
  {
    ask: `POST ${PROXY}/toxics`,
    body: { ...latency, stream: 'sideways' },
    status: 400,
    has: { error: 'stream was invalid, can be either upstream or downstream' },
  },
  { ask: `POST ${PROXY}/toxics`, body: { ...latency, attributes: { latency: 'soon' } }, status: 400 },
  { ask: `POST ${PROXY}/toxics`, body: { ...latency, attributes: { latency: 1.5 } }, status: 400 },
  {
    ask: `POST ${PROXY}/toxics`,
    body: latency,
    status: 200,
    has: {
      name: 'latency_downstream',
      type: 'latency',
      stream: 'downstream',
      toxicity: 1,
      attributes: { latency: 5, jitter: 2 },
    },
  },
  {
    ask: `POST ${PROXY}/toxics`,
    body: latency,
    status: 409,
    has: { error: 'toxic already exists', status: 409 },
  },
  { ask: `GET ${PROXY}/toxics`, status: 200 },
  { ask: `GET ${PROXY}/toxics/latency_downstream`, status: 200, has: { type: 'latency' } },
  { ask: `GET ${PROXY}/toxics/other`, status: 404, has: { error: 'toxic not found', status: 404 } },
  {
    ask: `POST ${PROXY}/toxics/latency_downstream`,
    body: { attributes: { latency: 9 } },
    status: 200,
    has: { attributes: { latency: 9, jitter: 2 }, toxicity: 1 },
  },
  {
    ask: `PATCH ${PROXY}/toxics/latency_downstream`,
    body: { toxicity: 0 },
    status: 200,
    has: { toxicity: 0 },
  },
  { ask: `DELETE ${PROXY}/toxics/latency_downstream`, status: 204 },
  { ask: `DELETE ${PROXY}/toxics/latency_downstream`, status: 404 },
  {
    ask: 'POST /populate',
    body: [{ name: 'populated', listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }],
    status: 201,
  },
  { ask: 'DELETE /proxies/populated', status: 204 },
  { ask: `DELETE ${PROXY}`, status: 204 },
  { ask: `DELETE ${PROXY}`, status: 404 },
];

/** Asks all of it; returns one line per answer that is not as it must be. */
export async function tellStory(url: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const { ask, body, userAgent, status, has = {} } of apiRequests) {
    const [method = '', path = ''] = ask.split(' ');
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(userAgent ? { 'user-agent': userAgent } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const members = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    const same = Object.entries(has).every(
      ([name, value]) => JSON.stringify(members[name]) === JSON.stringify(value),
    );
    if (answer.status !== status || !same)
      wrong.push(
        `${ask} ${JSON.stringify(body) ?? ''}: ${answer.status} ${text.trim()}, expected ${status} ${JSON.stringify(has)}`,
      );
  }
  return wrong;
}
