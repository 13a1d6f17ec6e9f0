/** The injector over a Toxiproxy server, by its own client; what it makes it deletes, and it never resets others'. */
import { randomBytes } from 'node:crypto';
import { type Proxy as ToxiProxy, Toxiproxy } from 'toxiproxy-node-client';
import { Undetermined } from '../../check.js';
import { within } from '../../lab/deadline.js';
import { startEcho } from '../echo.js';
import type { Injector, InjectorProxy } from '../injector.js';

/** A control call that hangs must not hang a case: removing a toxic from a busy connection once did. */
const CALL_MS = 5000;

/** A server that somebody else runs: used, never stopped. It has to be on this host, since what it dials is. */
export async function connectToxiproxy(url: string): Promise<Injector> {
  const { hostname, origin } = new URL(url);
  if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
    throw new Undetermined(`TOXIPROXY_URL must name a server on this host, not ${hostname}`);
  return injectorAt('toxiproxy', origin, async () => {});
}

/** Drives whatever answers Toxiproxy's API at `url`. Whatever it refuses says nothing about the subject: Undetermined. */
export async function injectorAt(
  kind: Injector['kind'],
  url: string,
  stop: () => Promise<void>,
): Promise<Injector> {
  const client = new Toxiproxy(url);
  const made = new Set<InjectorProxy>();
  const version = await control('tell its version', client.getVersion());
  const echo = await startEcho();
  // Unique, since the server may be shared with another run.
  const unique = `oab-${process.pid}-${randomBytes(4).toString('hex')}`;
  let counter = 0;
  return {
    kind,
    version: (/"version":\s*"([^"]+)"/.exec(version)?.[1] ?? version).trim().slice(0, 64),
    url,
    echo: echo.address,
    async createProxy(label, upstream) {
      counter += 1;
      // The label first: the stand-in draws from the seed by it, and the rest differs from run to run.
      const name = `${label.replace(/[^\w-]/g, '_')}.${unique}-${counter}`;
      const proxy = await control(
        `create the proxy ${name}`,
        client.createProxy({
          name,
          listen: '127.0.0.1:0',
          upstream: `${upstream.host}:${upstream.port}`,
          enabled: true,
        }),
      );
      const one = wrap(client, proxy, () => made.delete(one));
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

/** The client keeps the server's own message to itself, so that what was asked has to be said here. */
async function control<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await within(call, CALL_MS, 'its answer');
  } catch (error) {
    throw new Undetermined(`the fault injector could not ${what}: ${(error as Error).message}`);
  }
}

function wrap(client: Toxiproxy, proxy: ToxiProxy, gone: () => void): InjectorProxy {
  const [host = '', port = '0'] = proxy.listen.split(':');
  let counter = 0;
  return {
    name: proxy.name,
    address: { host, port: Number(port) },
    async addToxic({ type, direction = 'downstream', toxicity = 1, attributes }) {
      counter += 1;
      const body = { name: `${type}-${counter}`, type, stream: direction, toxicity, attributes };
      const toxic = await control(`add ${type} to ${proxy.name}`, proxy.addToxic(body as never));
      let now = { toxicity, attributes };
      return {
        name: body.name,
        spec: { type, direction, toxicity, attributes },
        async update(change) {
          now = {
            toxicity: change.toxicity ?? now.toxicity,
            attributes: { ...now.attributes, ...change.attributes },
          };
          await control(`change ${body.name} of ${proxy.name}`, toxic.update({ ...body, ...now } as never));
        },
        async remove() {
          await control(`remove ${body.name} from ${proxy.name}`, toxic.remove());
        },
      };
    },
    async enable(enabled) {
      // The listen address as the server gave it: port 0 would move the proxy elsewhere.
      await control(
        `${enabled ? 'enable' : 'disable'} ${proxy.name}`,
        proxy.update({ enabled, listen: proxy.listen, upstream: proxy.upstream }),
      );
    },
    async state() {
      // Asked of the server itself: the client keeps what it sent, not what is.
      const answer = await control(
        `show ${proxy.name}`,
        client.api.get<{ enabled: boolean; toxics: { name: string }[] }>(proxy.getPath()),
      );
      const { enabled, toxics } = answer.data;
      return { enabled, toxics: toxics.map(({ name }) => name) };
    },
    async remove() {
      gone();
      await control(`remove ${proxy.name}`, proxy.remove());
    },
  };
}
