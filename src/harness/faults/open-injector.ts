/** Finds what shapes the links: a Toxiproxy that is up already, one on this machine, else the embedded stand-in. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from './embedded/open-embedded.js';
import type { Injector } from './injector.js';
import { connectToxiproxy, startToxiproxy } from './toxiproxy/toxiproxy.js';

const BINARY = 'toxiproxy-server';
/** From src/ and from dist/src/ alike. */
const ROOTS = ['../../..', '../../../..'].map((up) => fileURLToPath(new URL(up, import.meta.url)));

/** `TOXIPROXY_URL`, then the PATH, then `.tools/`; the verdict names what was used. */
export async function openInjector(): Promise<Injector> {
  const url = process.env.TOXIPROXY_URL;
  if (url !== undefined && url !== '') return connectToxiproxy(url);
  const server = findServer();
  return server === undefined ? openEmbedded() : startToxiproxy(server);
}

export function findServer(): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...ROOTS.map((root) => join(root, '.tools', 'bin')),
  ];
  return folders.map((folder) => join(folder, BINARY)).find((path) => existsSync(path));
}
