/** One server in a process of its own, and the questions that the benchmark asks it. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../harness/lab/with-us.js';
import type { Ask, Question, Reply, Usage } from './servers/control.js';

/** Servers run compiled, also where this file runs from source (tests). */
const SERVERS = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/src/bench/servers/' : './servers/', import.meta.url),
);

export interface ServerProcess {
  pid: number;
  port: number;
  /** Resolves when so many tasks have ended since the server began. */
  ended(count: number): Promise<void>;
  usage(): Promise<Usage>;
  go(held: string, count: number): Promise<void>;
  close(): Promise<void>;
}

/** `name` is a file of `servers/`, `flags` are Node's. Rejects when it ends before it listens. */
export async function startServer(
  name: string,
  args: string[],
  flags: readonly string[],
): Promise<ServerProcess> {
  const child = fork(`${SERVERS}${name}.js`, args, {
    execArgv: ['--expose-gc', ...flags],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  endWithUs(child);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${String(chunk)}`.slice(-4096);
  });
  const lost = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => {
      reject(new Error(`the ${name} server ended (${code ?? signal}): ${said || 'it said nothing'}`));
    });
  });
  // It is raced below, and may also end when nobody asks.
  lost.catch(() => {});
  const port = await Promise.race([ready(child), lost]);
  const ask = asking(child, lost);
  return {
    pid: child.pid ?? 0,
    port,
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
      const { listen } = JSON.parse(line.split('\n', 1)[0] ?? '') as {
        listen?: { http?: string; https?: string };
      };
      const port = Number((listen?.https ?? listen?.http)?.split(':').at(-1));
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
