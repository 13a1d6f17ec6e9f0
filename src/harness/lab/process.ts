/** Real processes: started with little, watched until they end, and never left behind. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { redact } from '../../telemetry/redact.js';
import { within } from './deadline.js';
import type { LabCommand, LabPeer, LabProcess, ProcessExit, ProcessSpec, ReadyLine } from './ports.js';

const READY_MS = 15_000;
const GRACE_MS = 10_000;
const STDERR_KEPT = 64 * 1024;
const MAX_LINE = 1024 * 1024;
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];
/** Node.js's own exit when its heap is exhausted, and the usual one of an out-of-memory kill in a container. */
const OUT_OF_MEMORY = /heap out of memory|out of memory/i;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Resolves with the peer once it printed its ready line; rejects with its stderr when it does not. */
export async function startPeer(spec: ProcessSpec): Promise<LabPeer> {
  const { child, process: running } = launch(spec);
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<ReadyLine>((resolve, reject) => {
    lines.once('line', (line) => {
      try {
        resolve(JSON.parse(line) as ReadyLine);
      } catch {
        reject(new Error(`${spec.name}: the first line is no ready line: ${line.slice(0, 200)}`));
      }
    });
    void running.exited.then(({ code, signal }) =>
      reject(
        new Error(
          `${spec.name} ended (${code ?? signal}) before it was ready: ${running.stderr().slice(-1000)}`,
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
  const { child, process: running } = launch(spec);
  return Object.assign(running, { lines: bounded(createInterface({ input: child.stdout })) });
}

async function* bounded(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.slice(0, MAX_LINE);
}

function launch(spec: ProcessSpec): { child: Child; process: LabProcess } {
  const [command, ...args] = spec.argv;
  const env: Record<string, string> = {};
  for (const name of INHERITED) if (process.env[name] !== undefined) env[name] = process.env[name] as string;
  const child: Child = spawn(command, args, {
    cwd: spec.cwd,
    env: { ...env, ...spec.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_KEPT);
  });
  const asked = new Set<NodeJS.Signals>();
  let exit: ProcessExit | undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    const settle = (code: number | null, signal: NodeJS.Signals | null, detail?: string) => {
      exit ??= judge(code, signal, asked, detail ?? tail);
      resolve(exit);
    };
    child.once('error', (error) => settle(null, null, error.message));
    child.once('exit', (code, signal) => settle(code, signal));
  });
  const send = (signal: NodeJS.Signals) => {
    asked.add(signal);
    if (exit === undefined) child.kill(signal);
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
      const ended = await exited;
      clearTimeout(timer);
      return ended;
    },
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
    signal: send,
  };
  return { child, process: running };
}

function judge(
  code: number | null,
  signal: NodeJS.Signals | null,
  asked: ReadonlySet<NodeJS.Signals>,
  tail: string,
): ProcessExit {
  const wanted = signal === null ? asked.has('SIGTERM') || code === 0 : asked.has(signal);
  if (wanted) return { code, signal, asked: true };
  const reason = OUT_OF_MEMORY.test(tail)
    ? 'out of memory'
    : signal === null
      ? `exit code ${code ?? 'none'}`
      : `killed by ${signal} that the harness did not send`;
  return { code, signal, asked: false, reason };
}
