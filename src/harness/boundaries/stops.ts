/**
 * Inside an instrumented peer: each write is told to a folder, and at the one that the harness has armed the whole
 * process stands still, before the commit or behind it, until the harness kills it from outside.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type When = 'before' | 'after';

/** The `nth` write of this label, counted from 1 since it was armed. */
export interface Arm {
  /** Another one is another arming. */
  id: number;
  label: string;
  nth: number;
  when: When;
}

/** One line of the folder's account: a write began, was acknowledged to us, or is where the process stands still. */
export interface Told {
  phase: When | 'stopped';
  label: string;
  pid: number;
  /** The arming that it stopped for. */
  arm?: number;
  /** What the write was about, where it says so. */
  [about: string]: unknown;
}

export const ARM_FILE = 'arm.json';
export const ACCOUNT_FILE = 'writes.ndjson';

export interface Stops {
  /** An asynchronous write; `about` is told of its value. */
  around<T>(label: string, write: () => Promise<T>, about: (value: T) => Record<string, unknown>): Promise<T>;
  /** A write that returns when it is durable. */
  aroundNow<T>(label: string, write: () => T, about: Record<string, unknown>): T;
}

export function openStops(folder: string): Stops {
  let arm: Arm | undefined;
  let counted = 0;

  /** In one write: whoever reads that a write is acknowledged reads too that the process stands still behind it. */
  const tell = (...lines: Omit<Told, 'pid'>[]) =>
    appendFileSync(
      join(folder, ACCOUNT_FILE),
      lines.map((line) => `${JSON.stringify({ ...line, pid: process.pid })}\n`).join(''),
    );
  const current = (): Arm | undefined => {
    const now = armIn(folder);
    if (now?.id !== arm?.id) counted = 0;
    arm = now;
    return arm;
  };
  /** Whether this write is the one that is armed, for both of its sides. */
  const begin = (label: string): ((told: Omit<Told, 'pid' | 'label'> & { phase: When }) => void) => {
    const armed = current();
    if (armed?.label === label) counted += 1;
    const mine = armed?.label === label && counted === armed.nth ? armed : undefined;
    return (told) => {
      if (mine?.when !== told.phase) return tell({ ...told, label });
      tell({ ...told, label }, { phase: 'stopped', label, arm: mine.id });
      // Nothing of this process moves any more: not its timers, not its sockets, not what its agent says.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    };
  };

  return {
    async around(label, write, about) {
      const come = begin(label);
      come({ phase: 'before' });
      const value = await write();
      come({ phase: 'after', ...about(value) });
      return value;
    },
    aroundNow(label, write, about) {
      const come = begin(label);
      come({ phase: 'before' });
      const value = write();
      come({ phase: 'after', ...about });
      return value;
    },
  };
}

function armIn(folder: string): Arm | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, ARM_FILE), 'utf8')) as Arm;
  } catch {
    // Nothing is armed.
    return undefined;
  }
}
