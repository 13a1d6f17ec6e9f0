/** One server in a process of its own, and the questions that the benchmark asks it. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeKeyFile } from '../identity/key-file.js';
import { newKey } from '../identity/new-key.js';
import { CALLER, EXECUTOR, ourRequests, type Requests, stockRequests } from './client/requests.js';
import type { Ask, Question, Reply, Usage } from './servers/control.js';

/** Servers run compiled, also where this file runs from source (tests). */
const SERVERS = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/src/bench/servers/' : './servers/', import.meta.url),
);

export interface Side {
  name: 'ours' | 'stock';
  port: number;
  requests: Requests;
  /** Resolves when so many tasks have ended since the server began. */
  ended(count: number): Promise<void>;
  usage(): Promise<Usage>;
  go(held: string, count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts servers; `flags` are Node's, for a profiler. */
export interface Launch {
  ours(): Promise<Side>;
  stock(): Promise<Side>;
}

export function launcher(flags: readonly string[]): Launch {
  return { ours: () => startOurs(flags), stock: () => start('stock', [], stockRequests, flags) };
}

/** The reference executor over a journal in a new folder of the system's temporary one. */
async function startOurs(flags: readonly string[]): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'oab-bench-'));
  const now = Date.now();
  const caller = newKey(now);
  writeKeyFile(join(folder, 'results.jwks'), [newKey(now)], 'private');
  writeKeyFile(join(folder, 'caller.pub.jwks'), [caller], 'public');
  const file = join(folder, 'executor.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration(folder)));
  const side = await start('ours', [file], ourRequests(caller), flags);
  return {
    ...side,
    async close() {
      await side.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Nothing of what is measured may meet a limit: all of them are at their ceilings. */
function configuration(folder: string) {
  const most = 1_000_000;
  // More than run at once; the executor keeps the state of twice as many tasks.
  const running = 4096;
  return {
    peer: EXECUTOR,
    listen: { address: '127.0.0.1:0' },
    public_url: 'http://127.0.0.1/',
    insecure_loopback: true,
    keys: { results: 'results.jwks' },
    peers: [
      { peer: CALLER, token_keys: 'caller.pub.jwks', capabilities: ['repo:read'], max_running: running },
    ],
    capabilities: ['repo:read'],
    limits: { running, events: most, rate: `${most}/s`, rejected: most },
    journal: { sqlite: 'journal.db' },
    agent: { command: ['none'], workspace: folder },
  };
}

async function start(
  name: Side['name'],
  args: string[],
  requests: Requests,
  flags: readonly string[],
): Promise<Side> {
  const child = fork(`${SERVERS}${name}.js`, args, {
    execArgv: ['--expose-gc', ...flags],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${String(chunk)}`.slice(-4096);
  });
  const lost = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) =>
      reject(new Error(`the ${name} server ended (${code ?? signal}): ${said || 'it said nothing'}`)),
    );
  });
  // It is raced below, and may also end when nobody asks.
  lost.catch(() => {});
  const port = await Promise.race([ready(child), lost]);
  const ask = asking(child, lost);
  return {
    name,
    port,
    requests,
    ended: async (count) => void (await ask({ ask: 'ended', count })),
    async usage() {
      const { usage } = await ask({ ask: 'usage' });
      if (usage === undefined) throw new Error(`the ${name} server did not say its usage`);
      return usage;
    },
    go: async (held, count) => void (await ask({ ask: 'go', held, count })),
    async close() {
      // It leaves by itself when its parent does, and a profiler writes what it has.
      if (child.connected) child.disconnect();
      await lost.catch(() => {});
    },
  };
}

function ready(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let line = '';
    child.stdout?.on('data', (chunk) => {
      line += String(chunk);
      if (!line.includes('\n')) return;
      const { listen } = JSON.parse(line.split('\n', 1)[0] ?? '') as { listen?: { http?: string } };
      const port = Number(listen?.http?.split(':').at(-1));
      if (port > 0) resolve(port);
      else reject(new Error(`no ready line: ${line.slice(0, 200)}`));
    });
  });
}

function asking(child: ChildProcess, lost: Promise<never>): (ask: Ask) => Promise<Reply> {
  const open = new Map<number, (reply: Reply) => void>();
  let asked = 0;
  child.on('message', (reply: Reply) => {
    open.get(reply.id)?.(reply);
    open.delete(reply.id);
  });
  return (ask) => {
    asked += 1;
    const id = asked;
    const answer = new Promise<Reply>((resolve) => open.set(id, resolve));
    child.send({ ...ask, id } satisfies Question);
    return Promise.race([answer, lost]);
  };
}
