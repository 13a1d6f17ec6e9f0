/** Finds what a lab's processes have left running: a killed executor's agent has a process group and a parent of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './deadline.js';

/** One process, now. */
export interface Running {
  pid: number;
  parent: number;
  state: string;
  terminal: number;
  /** In clock ticks since boot: with the pid it names a process for ever. */
  started: string;
}

/** Everything that descends from these processes, which must be running still: a pid that is free again is anybody's. */
export function descendants(pids: readonly number[]): Running[] {
  const all = table();
  const ours = new Set<number>(pids);
  for (let size = 0; size !== ours.size; ) {
    size = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => ours.has(pid) && !pids.includes(pid));
}

/**
 * Kills those of `known` that still run, and every process that names `folder` in its command line, and waits until they
 * are gone. Only `/proc` can tell, so that elsewhere than on Linux nothing is found. A process on somebody's terminal
 * is not ours.
 * @returns how many were killed
 */
export async function endLeftovers(
  known: readonly Running[],
  folder: string,
  deadlineMs = 5000,
): Promise<number> {
  const names = new Set(known.map(key));
  const doomed = table().filter(
    (one) =>
      one.pid !== process.pid &&
      one.state !== 'Z' &&
      one.terminal === 0 &&
      (names.has(key(one)) || commandLine(one.pid).some((part) => part.includes(folder))),
  );
  for (const { pid } of doomed) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
  if (doomed.length === 0) return 0;
  const gone = new Set(doomed.map(key));
  await until(() => !table().some((one) => one.state !== 'Z' && gone.has(key(one))), {
    ms: deadlineMs,
    everyMs: 5,
    what: `the end of what was left running (${[...gone].join(' ')})`,
  });
  return doomed.length;
}

const key = ({ pid, started }: Running): string => `${pid}@${started}`;

function table(): Running[] {
  const mine = owner('self');
  const born = Number(statOf('self')[STARTED]);
  return entries().flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const fields = statOf(entry);
    const [state = '', parent = '', , , terminal = ''] = fields;
    // What was there before us is nothing that a lab of ours has started.
    if (state === '' || Number(fields[STARTED]) < born || owner(entry) !== mine) return [];
    return [
      {
        pid: Number(entry),
        state,
        parent: Number(parent),
        terminal: Number(terminal),
        started: fields[STARTED] ?? '',
      },
    ];
  });
}

const STARTED = 19;

/** The fields of a process behind its name, which may hold anything, also parentheses. */
function statOf(pid: string): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function entries(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    // No /proc on this system.
    return [];
  }
}

function owner(pid: string): string | undefined {
  return /^Uid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
}

function commandLine(pid: number): string[] {
  return read(`/proc/${pid}/cmdline`).split('\0');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process ended between the listing and the reading.
    return '';
  }
}

/** Out-of-memory kills that this control group has seen; undefined where the system does not say. */
export function outOfMemoryKills(): number | undefined {
  for (const path of ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control']) {
    const found = /^oom_kill (\d+)/m.exec(read(path));
    if (found) return Number(found[1]);
  }
  return undefined;
}
