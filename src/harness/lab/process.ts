/** Real processes: started with little, watched until they end, and never left behind. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { redact } from '../../telemetry/redact.js';
import { within } from './deadline.js';
import type { LabCommand, LabPeer, LabProcess, ProcessExit, ProcessSpec, ReadyLine } from './ports.js';
import { outOfMemoryKills } from './process-tree.js';
import { endWithUs } from './with-us.js';

const READY_MS = 15_000;
const GRACE_MS = 10_000;
const STDERR_KEPT = 64 * 1024;
const MAX_LINE = 1024 * 1024;
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];
/** What Node.js says when its heap is exhausted. */
const HEAP_EXHAUSTED = /JavaScript heap out of memory/;
/** For the last words on stderr, which may arrive after the news of the end. */
const LAST_WORDS_MS = 500;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Resolves with the peer once it printed its ready line; rejects with its stderr when it does not. */
export async function startPeer(spec: ProcessSpec): Promise<LabPeer> {
  const { child, process: running } = launch(spec, true);
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<ReadyLine>((resolve, reject) => {
    lines.once('line', (line) => {
      try {
        resolve(JSON.parse(line) as ReadyLine);
      } catch {
        reject(new Error(`${spec.name}: the first line is no ready line: ${line.slice(0, 200)}`));
      }
    });
    void running.exited.then(({ code, signal, reason }) =>
      reject(
        new Error(
          `${spec.name} ended (${code ?? signal ?? reason}) before it was ready: ${running.stderr().slice(-1000)}`,
        ),
      ),
    );
  });
  try {
    return Object.assign(running, {
      ready: await within(ready, spec.readyMs ?? READY_MS, `${spec.name} to be ready`),
    });
  } catch (error) {
    await running.kill();
    throw error;
  }
}

/** A command whose lines are read by whoever started it. */
export function startCommand(spec: ProcessSpec): LabCommand {
  const { child, process: running } = launch(spec, false);
  return Object.assign(running, { lines: bounded(createInterface({ input: child.stdout })) });
}

async function* bounded(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.slice(0, MAX_LINE);
}

/** @param lasting it ends only when it is asked to; a command ends by itself, and its exit code is an answer */
function launch(spec: ProcessSpec, lasting: boolean): { child: Child; process: LabProcess } {
  const [command, ...args] = spec.argv;
  const env: Record<string, string> = {};
  for (const name of INHERITED) if (process.env[name] !== undefined) env[name] = process.env[name] as string;
  const child: Child = spawn(command, args, {
    cwd: spec.cwd,
    env: { ...env, ...spec.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithUs(child);
  let tail = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_KEPT);
    spec.output?.(Buffer.from(text));
  });
  if (spec.output !== undefined) child.stdout.on('data', spec.output);
  const lastWords = new Promise((resolve) => child.stderr.once('close', resolve));
  const asked = new Set<NodeJS.Signals>();
  const killsBefore = outOfMemoryKills();
  let exit: ProcessExit | undefined;
  let ended = false;
  const exited = new Promise<ProcessExit>((resolve) => {
    const settle = (code: number | null, signal: NodeJS.Signals | null, detail?: string) => {
      if (exit !== undefined) return;
      const memory = HEAP_EXHAUSTED.test(tail) || outOfMemoryKills() !== killsBefore;
      exit = judge({ code, signal, asked, lasting, memory, detail });
      resolve(exit);
    };
    child.once('error', (error) => settle(null, null, error.message));
    child.once('exit', (code, signal) => {
      ended = true;
      // Whoever asked for it needs no reason, and a grandchild may hold stderr open for ever.
      if (signal !== null && asked.has(signal)) return settle(code, signal);
      void within(lastWords, LAST_WORDS_MS, 'stderr to end')
        .catch(() => undefined)
        .then(() => settle(code, signal));
    });
  });
  const send = (signal: NodeJS.Signals) => {
    if (ended) return;
    asked.add(signal);
    child.kill(signal);
  };
  const running: LabProcess = {
    name: spec.name,
    pid: child.pid ?? -1,
    exited,
    get exit() {
      return exit;
    },
    stderr: () => redact(tail),
    kill() {
      send('SIGKILL');
      return exited;
    },
    async stop(graceMs = GRACE_MS) {
      send('SIGTERM');
      const timer = setTimeout(() => send('SIGKILL'), graceMs);
      const end = await exited;
      clearTimeout(timer);
      return end;
    },
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
    signal: send,
  };
  return { child, process: running };
}

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  asked: ReadonlySet<NodeJS.Signals>;
  lasting: boolean;
  memory: boolean;
  /** Why it did not even start. */
  detail: string | undefined;
}

function judge({ code, signal, asked, lasting, memory, detail }: End): ProcessExit {
  const polite = asked.has('SIGTERM') || asked.has('SIGINT');
  // 143 and 130: how a shell says that a signal ended what it had started.
  const clean = code === 0 || (polite && (code === 143 || code === 130));
  const wanted = signal === null ? clean && (!lasting || polite) : asked.has(signal);
  if (wanted) return { code, signal, asked: true };
  return { code, signal, asked: false, reason: reasonFor({ code, signal, memory, detail }) };
}

function reasonFor({
  code,
  signal,
  memory,
  detail,
}: Pick<End, 'code' | 'signal' | 'memory' | 'detail'>): string {
  if (detail !== undefined) return `did not start: ${detail}`;
  if (memory && code !== 0) return 'out of memory';
  return signal === null
    ? `exit code ${code ?? 'none'}`
    : `killed by ${signal} that the harness did not send`;
}
