/** A folder for the servers of a measurement; nothing of it outlives the benchmark. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeWithUs } from '../harness/lab/with-us.js';

export interface Scratch {
  folder: string;
  remove(): void;
}

/** A new one in the system's temporary folder. */
export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'oab-bench-'));
  const kept = removeWithUs(folder);
  return {
    folder,
    remove() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      kept();
    },
  };
}
