/** The injector where no Toxiproxy can be had: the same client over the stand-in, and named so in the verdict. */
import { randomFor } from '../../seed.js';
import type { Injector } from '../injector.js';
import { injectorAt } from '../toxiproxy/toxiproxy.js';
import { startEmbeddedServer } from './server.js';

/** Jitter and toxicity come from (seed, link, connection), so that no connection's chances depend on another's. */
export async function openEmbedded(seed = '0'): Promise<Injector> {
  const server = await startEmbeddedServer((proxy) => (index) => {
    // The part behind the dot differs from run to run.
    const link = proxy.split('.')[0] ?? proxy;
    const random = randomFor({ seed, case: 'embedded injector', link, index });
    return () => random.float();
  });
  return injectorAt('embedded', server.url, () => server.close());
}
