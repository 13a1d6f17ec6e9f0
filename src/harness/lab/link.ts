/** One network path between two peers: our tap, and behind it a Toxiproxy proxy where a fault needs one. */
import type { Injector } from '../faults/injector.js';
import type { Address, Link } from './ports.js';
import { openTap } from './tap.js';

export async function openLink(
  name: string,
  upstream: Address,
  injector: () => Promise<Injector>,
): Promise<Link> {
  const tap = await openTap(upstream);
  let used: Injector | undefined;
  let proxy: ReturnType<Injector['createProxy']> | undefined;
  return {
    name,
    connect: `${tap.address.host}:${tap.address.port}`,
    address: tap.address,
    upstream,
    tap,
    proxy() {
      proxy ??= injector().then(async (server) => {
        used = server;
        const made = await server.createProxy(name, upstream);
        tap.redirect(made.address);
        return made;
      });
      return proxy;
    },
    get injector() {
      return used;
    },
    async close() {
      await tap.close();
      // Whoever asked for a proxy that could not be had was told so.
      await (await proxy?.catch(() => undefined))?.remove();
    },
  };
}
