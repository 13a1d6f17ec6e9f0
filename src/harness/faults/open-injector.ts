/** Finds what shapes the links: a Toxiproxy that is up already, one on this machine, else the embedded stand-in. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from './embedded/open-embedded.js';
import type { Injector } from './injector.js';
import { startToxiproxy } from './toxiproxy/start-toxiproxy.js';
import { connectToxiproxy } from './toxiproxy/toxiproxy.js';

const BINARY = process.platform === 'win32' ? 'toxiproxy-server.exe' : 'toxiproxy-server';
/** From src/ and from dist/src/ alike. */
const ROOTS = ['../../..', '../../../..'].map((up) => fileURLToPath(new URL(up, import.meta.url)));

/**
 * `TOXIPROXY_URL`, then the PATH, then `.tools/`; the verdict names what was used. The real server draws its jitter and
 * toxicity by itself; the stand-in draws them from the seed.
 */
export async function openInjector(seed = '0'): Promise<Injector> {
  const url = process.env.TOXIPROXY_URL;
  if (url !== undefined && url !== '') return connectToxiproxy(url);
  const server = findServer();
  return server === undefined ? openEmbedded(seed) : startToxiproxy(server);
}

export function findServer(): string | undefined {
  const folders = [
    // An empty entry means the current folder, which is nobody's tool chest.
    ...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...ROOTS.map((root) => join(root, '.tools', 'bin')),
  ];
  return folders.map((folder) => join(folder, BINARY)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run.
    return false;
  }
}
