/** The agent's process group: started apart from ours, identified for a later process, ended whole. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 5;

/** When a process started, in the system's own words; with its id it names one process for ever. */
export function startTimeOf(pid: number): string {
  try {
    // Field 22 of stat, counted after the command, which may itself hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    try {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    } catch {
      // The process is gone already.
      return '';
    }
  }
}

/** Sends a signal to the whole group; false when there is nobody left in it. */
export function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return true;
    return false;
  }
}

/** Kills the group and resolves when nobody of it runs any more. */
export async function endGroup(pgid: number): Promise<void> {
  while (signalGroup(pgid, 'SIGKILL') && !onlyZombies(pgid)) await delay(POLL_MS);
}

/** Whether anybody of the group still runs. */
export function groupRuns(pgid: number): boolean {
  return signalGroup(pgid, 0) && !onlyZombies(pgid);
}

/** Kills the group of a former process, if it is still that one and not a later one with its number. */
export async function endOrphan({ pgid, startTime }: { pgid: number; startTime: string }): Promise<void> {
  const now = startTimeOf(pgid);
  // The leader may be gone while its children live on: nobody else can have its group's number then.
  if (now !== '' && now !== startTime) return;
  await endGroup(pgid);
}

/** Dead processes whose parent has not looked yet do nothing any more, and may stay for ever. */
function onlyZombies(pgid: number): boolean {
  try {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const stat = statOf(name);
      if (stat === undefined) continue;
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (group === String(pgid) && state !== 'Z' && state !== 'X') return false;
    }
    return true;
  } catch {
    // No /proc: the signal's own answer has to do.
    return false;
  }
}

function statOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It ended while we were looking.
    return undefined;
  }
}
