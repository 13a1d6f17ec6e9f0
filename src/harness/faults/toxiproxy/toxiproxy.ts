/** The injector over a real Toxiproxy server, by its own client; what it makes it deletes, and it never resets others'. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Proxy as ToxiProxy, Toxiproxy } from 'toxiproxy-node-client';
import { until } from '../../lab/deadline.js';
import { startEcho } from '../echo.js';
import type { Injector, InjectorProxy } from '../injector.js';

const START_MS = 10_000;

/** A server that somebody else runs: used, never stopped. */
export async function connectToxiproxy(url: string): Promise<Injector> {
  return injectorAt('toxiproxy', url, async () => {});
}

/** A server of our own, on a free port of loopback. */
export async function startToxiproxy(binary: string): Promise<Injector> {
  // The server takes no port 0: a free one is asked for, and another when somebody was faster.
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { LOG_LEVEL: 'error' },
    });
    let ended = false;
    server.once('exit', () => {
      ended = true;
    });
    const url = `http://127.0.0.1:${port}`;
    const up = await until(() => ended || answers(url), {
      ms: START_MS,
      what: 'Toxiproxy to answer',
      everyMs: 10,
    });
    if (up && !ended) {
      const injector = await injectorAt('toxiproxy', url, async () => {
        server.kill('SIGTERM');
        if (!ended) await once(server, 'exit');
      });
      return { ...injector, version: builtFrom(binary) ?? injector.version };
    }
    if (attempt === 5) throw new Error(`${binary} does not start`);
  }
}

/** Drives whatever answers Toxiproxy's API at `url`. */
export async function injectorAt(
  kind: Injector['kind'],
  url: string,
  stop: () => Promise<void>,
): Promise<Injector> {
  const client = new Toxiproxy(url);
  const made = new Set<InjectorProxy>();
  const echo = await startEcho();
  const version = await fetch(`${url}/version`).then((answer) => answer.text());
  // Unique, since the server may be shared with another run.
  const prefix = `oab-${process.pid}-${randomBytes(4).toString('hex')}`;
  return {
    kind,
    version: (/"version":\s*"([^"]+)"/.exec(version)?.[1] ?? version).trim().slice(0, 64),
    url,
    echo: echo.address,
    async createProxy(label, upstream) {
      const name = `${prefix}-${made.size}-${label}`.replace(/[^\w-]/g, '_');
      const proxy = await client.createProxy({
        name,
        listen: '127.0.0.1:0',
        upstream: `${upstream.host}:${upstream.port}`,
        enabled: true,
      });
      const one = wrap(url, proxy, () => made.delete(one));
      made.add(one);
      return one;
    },
    async close() {
      await Promise.allSettled([...made].map((proxy) => proxy.remove()));
      await echo.close();
      await stop();
    },
  };
}

function wrap(url: string, proxy: ToxiProxy, gone: () => void): InjectorProxy {
  const [host = '', port = '0'] = proxy.listen.split(':');
  let counter = 0;
  return {
    name: proxy.name,
    address: { host, port: Number(port) },
    async addToxic({ type, direction = 'downstream', toxicity = 1, attributes }) {
      counter += 1;
      const body = { name: `${type}-${counter}`, type, stream: direction, toxicity, attributes };
      const toxic = await proxy.addToxic(body as never);
      return {
        name: body.name,
        spec: { type, direction, toxicity, attributes },
        async update(change) {
          await toxic.update({
            ...body,
            toxicity: change.toxicity ?? toxicity,
            attributes: { ...attributes, ...change.attributes },
          } as never);
        },
        async remove() {
          await toxic.remove();
        },
      };
    },
    async enable(enabled) {
      // The listen address as the server gave it: port 0 would move the proxy elsewhere.
      await proxy.update({ enabled, listen: proxy.listen, upstream: proxy.upstream });
    },
    async state() {
      // Asked of the server itself: the client keeps what it sent, not what is.
      const answer = await fetch(`${url}/proxies/${encodeURIComponent(proxy.name)}`);
      const { enabled, toxics } = (await answer.json()) as { enabled: boolean; toxics: { name: string }[] };
      return { enabled, toxics: toxics.map(({ name }) => name) };
    },
    async remove() {
      gone();
      await proxy.remove();
    },
  };
}

/** A server that is built from the module calls itself "git"; its set-up wrote down which version it is. */
function builtFrom(binary: string): string | undefined {
  try {
    return readFileSync(join(dirname(binary), '.toxiproxy-server.version'), 'utf8').split(' ')[0];
  } catch {
    // Installed by somebody else: what it says of itself has to do.
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/version`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
