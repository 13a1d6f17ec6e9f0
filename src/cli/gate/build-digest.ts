/** Which build of this program ran: one digest over its own code and the agent that it ships. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of this module in `src/cli/gate/` or `dist/src/cli/gate/`: the folder that holds `src/` and `suites/`. */
const BASE = fileURLToPath(new URL('../../../', import.meta.url));
const CODE = /(?<!\.test)\.(js|ts|mjs)$/;

/** `sha256:` + hex over path and content of every code file below `src/` and `suites/` of `base`, in order of their paths. */
export function buildDigest(base = BASE): string {
  const hash = createHash('sha256');
  for (const folder of ['src', 'suites']) {
    const files = readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && CODE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    for (const file of files) hash.update(`${relative(base, file)}\n`).update(readFileSync(file));
  }
  return `sha256:${hash.digest('hex')}`;
}
