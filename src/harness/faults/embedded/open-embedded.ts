/** The injector where no Toxiproxy can be had: the same client over the stand-in, and named so in the verdict. */
import { randomFor } from '../../seed.js';
import type { Injector } from '../injector.js';
import { injectorAt } from '../toxiproxy/toxiproxy.js';
import { startEmbeddedServer } from './server.js';

export async function openEmbedded(seed = '0'): Promise<Injector> {
  const random = randomFor({ seed, case: 'embedded injector' });
  const server = await startEmbeddedServer(() => random.float());
  return injectorAt('embedded', server.url, () => server.close());
}
