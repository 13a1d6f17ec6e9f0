/** The stand-in's HTTP API: Toxiproxy's paths, bodies and status codes, so that one client drives both. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlacedToxic } from './connection.js';
import { EmbeddedProxy, toxicJson } from './proxy.js';
import type { Toxic } from './toxic.js';
import { bandwidth } from './toxics/bandwidth.js';
import { latency } from './toxics/latency.js';
import { limitData } from './toxics/limit-data.js';
import { resetPeer } from './toxics/reset-peer.js';
import { slicer } from './toxics/slicer.js';
import { slowClose } from './toxics/slow-close.js';
import { timeout } from './toxics/timeout.js';

const TOXICS: readonly Toxic[] = [latency, bandwidth, slowClose, timeout, resetPeer, slicer, limitData];
const MAX_BODY = 1024 * 1024;
export const EMBEDDED_VERSION = 'embedded-1';

class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

type Body = Record<string, unknown>;

export async function startEmbeddedServer(
  random: () => number,
): Promise<{ url: string; close(): Promise<void> }> {
  const proxies = new Map<string, EmbeddedProxy>();
  const find = (name: string) => {
    const proxy = proxies.get(name);
    if (proxy === undefined) throw new ApiError(404, 'proxy not found');
    return proxy;
  };

  const create = async (body: Body): Promise<EmbeddedProxy> => {
    const { name, upstream, listen = '127.0.0.1:0', enabled = true } = body;
    if (typeof name !== 'string' || name === '') throw new ApiError(400, 'missing required field: name');
    if (typeof upstream !== 'string' || upstream === '')
      throw new ApiError(400, 'missing required field: upstream');
    if (proxies.has(name)) throw new ApiError(409, 'proxy already exists');
    const proxy = new EmbeddedProxy(name, String(listen), upstream, random);
    if (enabled !== false) await proxy.enable();
    proxies.set(name, proxy);
    return proxy;
  };
  const change = async (proxy: EmbeddedProxy, { enabled, listen, upstream }: Body) => {
    const moved =
      (typeof listen === 'string' && listen !== proxy.listen) ||
      (typeof upstream === 'string' && upstream !== proxy.upstream);
    if (enabled === false || moved) await proxy.disable();
    if (typeof listen === 'string') proxy.listen = listen;
    if (typeof upstream === 'string') proxy.upstream = upstream;
    if (enabled !== false) await proxy.enable();
    return proxy.json();
  };

  const route = async (
    method: string,
    path: string[],
    body: Body,
  ): Promise<{ status: number; body?: unknown }> => {
    const [root, name, sub, toxicName] = path;
    if (root === 'version') return { status: 200, body: { version: EMBEDDED_VERSION } };
    if (root === 'reset' && method === 'POST') {
      for (const proxy of proxies.values()) {
        proxy.toxics = [];
        proxy.refresh();
        await proxy.enable();
      }
      return { status: 204 };
    }
    if (root !== 'proxies') throw new ApiError(404, 'not found');
    if (name === undefined) {
      if (method === 'GET')
        return {
          status: 200,
          body: Object.fromEntries([...proxies].map(([key, proxy]) => [key, proxy.json()])),
        };
      return { status: 201, body: (await create(body)).json() };
    }
    const proxy = find(name);
    if (sub === undefined) {
      if (method === 'GET') return { status: 200, body: proxy.json() };
      if (method !== 'DELETE') return { status: 200, body: await change(proxy, body) };
      await proxy.disable();
      proxies.delete(name);
      return { status: 204 };
    }
    if (sub !== 'toxics') throw new ApiError(404, 'not found');
    if (toxicName === undefined) {
      if (method === 'GET') return { status: 200, body: proxy.toxics.map(toxicJson) };
      const placed = place(proxy, body);
      return { status: 200, body: toxicJson(placed) };
    }
    const index = proxy.toxics.findIndex((one) => one.name === toxicName);
    const toxic = proxy.toxics[index];
    if (toxic === undefined) throw new ApiError(404, 'toxic not found');
    if (method === 'GET') return { status: 200, body: toxicJson(toxic) };
    if (method === 'DELETE') proxy.toxics = proxy.toxics.filter((one) => one !== toxic);
    else {
      if (typeof body.toxicity === 'number') toxic.toxicity = body.toxicity;
      Object.assign(toxic.attributes, numbers(body.attributes));
    }
    proxy.refresh();
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: toxicJson(toxic) };
  };

  const server = createServer((request, response) => {
    void (async () => {
      let answer: { status: number; body?: unknown };
      try {
        const path =
          (request.url ?? '/').split('?')[0]?.split('/').filter(Boolean).map(decodeURIComponent) ?? [];
        answer = await route(request.method ?? 'GET', path, await bodyOf(request));
      } catch (error) {
        const status = error instanceof ApiError ? error.status : 500;
        answer = { status, body: { error: (error as Error).message, status } };
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    })();
  }).listen(0, '127.0.0.1');
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

function place(proxy: EmbeddedProxy, body: Body): PlacedToxic {
  const toxic = TOXICS.find(({ type }) => type === body.type);
  if (toxic === undefined) throw new ApiError(400, 'invalid toxic type');
  const stream = body.stream ?? 'downstream';
  if (stream !== 'upstream' && stream !== 'downstream')
    throw new ApiError(400, 'stream was invalid, can be either upstream or downstream');
  const name = typeof body.name === 'string' && body.name !== '' ? body.name : `${toxic.type}_${stream}`;
  if (proxy.toxics.some((one) => one.name === name)) throw new ApiError(409, 'toxic already exists');
  const placed: PlacedToxic = {
    name,
    toxic,
    stream,
    toxicity: typeof body.toxicity === 'number' ? body.toxicity : 1,
    attributes: { ...toxic.attributes, ...numbers(body.attributes) },
  };
  proxy.toxics = [...proxy.toxics, placed];
  proxy.refresh();
  return placed;
}

function numbers(value: unknown): Record<string, number> {
  const entries = Object.entries((value ?? {}) as Body).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return Object.fromEntries(entries);
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new ApiError(400, 'bad request body');
    chunks.push(chunk);
  }
  if (size === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
  } catch {
    throw new ApiError(400, 'bad request body');
  }
}
