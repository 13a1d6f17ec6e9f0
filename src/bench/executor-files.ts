/** The files of a reference executor that is measured. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKeyFile } from '../identity/key-file.js';
import { newKey } from '../identity/new-key.js';
import { CALLER, EXECUTOR, ourRequests, type Requests } from './client/requests.js';

/** `more` says where it listens and how it is reached. */
export function executorFiles(
  folder: string,
  more: Record<string, unknown>,
): { file: string; requests: Requests } {
  const now = Date.now();
  const caller = newKey(now);
  writeKeyFile(join(folder, 'results.jwks'), [newKey(now)], 'private');
  writeKeyFile(join(folder, 'caller.pub.jwks'), [caller], 'public');
  const file = join(folder, 'executor.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ ...configuration(folder), ...more }));
  return { file, requests: ourRequests(caller) };
}

/** Nothing of what is measured may meet a limit: all of them are at their ceilings. */
function configuration(folder: string) {
  const most = 1_000_000;
  // More than run at once; the executor keeps the state of twice as many tasks.
  const running = 4096;
  return {
    peer: EXECUTOR,
    keys: { results: 'results.jwks' },
    peers: [
      { peer: CALLER, token_keys: 'caller.pub.jwks', capabilities: ['repo:read'], max_running: running },
    ],
    bindings: ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'],
    capabilities: ['repo:read'],
    limits: { running, events: most, rate: `${most}/s`, rejected: most },
    journal: { sqlite: 'journal.db' },
    agent: { command: ['none'], workspace: folder },
  };
}
