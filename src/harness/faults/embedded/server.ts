/** The stand-in's HTTP API: Toxiproxy's paths, bodies and status codes, so that one client drives both. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, type Body, objectOf, placedToxic, proxyFields, toxicChange } from './bodies.js';
import { type Chances, EmbeddedProxy, toxicJson } from './proxy.js';

const MAX_BODY = 1024 * 1024;
const EMBEDDED_VERSION = 'embedded-1';

interface Answer {
  status: number;
  body?: unknown;
}

/** @param chances gives the chances of a proxy's connections, by its name */
export async function startEmbeddedServer(
  chances: (proxy: string) => Chances,
): Promise<{ url: string; close(): Promise<void> }> {
  const proxies = new Map<string, EmbeddedProxy>();
  const server = createServer((request, response) => void serve(proxies, chances, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const proxy of proxies.values()) await proxy.disable();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  proxies: Map<string, EmbeddedProxy>,
  chances: (proxy: string) => Chances,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer;
  try {
    // No web page may drive it (Toxiproxy refuses browsers in the same way).
    if (request.headers['user-agent']?.startsWith('Mozilla/'))
      throw new ApiError(403, 'User agent not allowed');
    const path = new URL(request.url ?? '/', 'http://stand-in').pathname.split('/').filter(Boolean);
    answer = await route(
      proxies,
      chances,
      request.method ?? 'GET',
      path.map(decodeURIComponent),
      await bodyOf(request),
    );
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 500;
    answer = { status, body: { error: (error as Error).message, status } };
  }
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
}

async function route(
  proxies: Map<string, EmbeddedProxy>,
  chances: (proxy: string) => Chances,
  method: string,
  [root = '', name, sub, toxicName, ...beyond]: string[],
  raw: string,
): Promise<Answer> {
  if (beyond.length > 0) throw new ApiError(404, 'not found');
  if (name === undefined) {
    switch (`${method} ${root}`) {
      case 'GET version':
        return { status: 200, body: { version: EMBEDDED_VERSION } };
      case 'GET proxies':
        return {
          status: 200,
          body: Object.fromEntries([...proxies].map(([key, proxy]) => [key, proxy.json()])),
        };
      case 'POST proxies':
        return { status: 201, body: (await create(proxies, chances, objectOf(raw))).json() };
      case 'POST populate':
        return { status: 201, body: { proxies: await populate(proxies, chances, raw) } };
      case 'POST reset':
        for (const proxy of proxies.values()) {
          proxy.put([]);
          await proxy.enable();
        }
        return { status: 204 };
    }
    const known = ['version', 'proxies', 'populate', 'reset'].includes(root);
    throw known ? new ApiError(405, 'method not allowed') : new ApiError(404, 'not found');
  }
  if (root !== 'proxies' || (sub !== undefined && sub !== 'toxics')) throw new ApiError(404, 'not found');
  const proxy = proxies.get(name);
  if (proxy === undefined) throw new ApiError(404, 'proxy not found');
  if (sub === undefined) return ofProxy(proxies, proxy, method, raw);
  return toxicName === undefined ? ofToxics(proxy, method, raw) : ofToxic(proxy, toxicName, method, raw);
}

async function create(
  proxies: Map<string, EmbeddedProxy>,
  chances: (proxy: string) => Chances,
  body: Body,
): Promise<EmbeddedProxy> {
  const { name = '', upstream = '', listen = '127.0.0.1:0', enabled = true } = proxyFields(body);
  if (name === '') throw new ApiError(400, 'missing required field: name');
  if (upstream === '') throw new ApiError(400, 'missing required field: upstream');
  if (proxies.has(name)) throw new ApiError(409, 'proxy already exists');
  const proxy = new EmbeddedProxy(name, listen, upstream, chances(name));
  if (enabled) await proxy.enable();
  proxies.set(name, proxy);
  return proxy;
}

/** Makes those that are not there, and moves those that are there with another address. */
async function populate(
  proxies: Map<string, EmbeddedProxy>,
  chances: (proxy: string) => Chances,
  raw: string,
): Promise<unknown[]> {
  const made: unknown[] = [];
  for (const body of objectOf(`{"list":${raw}}`).list as Body[]) {
    const { name = '', listen, upstream } = proxyFields(body);
    const present = proxies.get(name);
    if (present !== undefined && present.listen === listen && present.upstream === upstream) {
      made.push(present.json());
      continue;
    }
    await present?.disable();
    proxies.delete(name);
    made.push((await create(proxies, chances, body)).json());
  }
  return made;
}

async function ofProxy(
  proxies: Map<string, EmbeddedProxy>,
  proxy: EmbeddedProxy,
  method: string,
  raw: string,
): Promise<Answer> {
  if (method === 'DELETE') {
    await proxy.disable();
    proxies.delete(proxy.name);
    return { status: 204 };
  }
  if (method === 'POST' || method === 'PATCH') {
    const {
      listen = proxy.listen,
      upstream = proxy.upstream,
      enabled = proxy.enabled,
    } = proxyFields(objectOf(raw));
    if (!enabled || listen !== proxy.listen || upstream !== proxy.upstream) await proxy.disable();
    Object.assign(proxy, { listen, upstream });
    if (enabled) await proxy.enable();
  } else if (method !== 'GET') throw new ApiError(405, 'method not allowed');
  return { status: 200, body: proxy.json() };
}

function ofToxics(proxy: EmbeddedProxy, method: string, raw: string): Answer {
  if (method === 'GET') return { status: 200, body: proxy.toxics.map(toxicJson) };
  if (method !== 'POST') throw new ApiError(405, 'method not allowed');
  const placed = placedToxic(objectOf(raw));
  if (proxy.toxics.some(({ name }) => name === placed.name)) throw new ApiError(409, 'toxic already exists');
  proxy.put([...proxy.toxics, placed]);
  return { status: 200, body: toxicJson(placed) };
}

function ofToxic(proxy: EmbeddedProxy, name: string, method: string, raw: string): Answer {
  const toxic = proxy.toxics.find((one) => one.name === name);
  if (toxic === undefined) throw new ApiError(404, 'toxic not found');
  if (method === 'DELETE') {
    proxy.put(proxy.toxics.filter((one) => one !== toxic));
    return { status: 204 };
  }
  if (method === 'POST' || method === 'PATCH') {
    const { toxicity = toxic.toxicity, attributes } = toxicChange(objectOf(raw), toxic.toxic);
    toxic.toxicity = toxicity;
    Object.assign(toxic.attributes, attributes);
    proxy.restart(toxic);
  } else if (method !== 'GET') throw new ApiError(405, 'method not allowed');
  return { status: 200, body: toxicJson(toxic) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new ApiError(400, 'bad request body');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
