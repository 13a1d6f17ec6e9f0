/** The harness's side of an instrumented peer: what it wrote so far, where it is to stop, and waiting until it stands there. */
import { mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../lab/deadline.js';
import type { Lab } from '../lab/ports.js';
import { ACCOUNT_FILE, ARM_FILE, type Told, type When } from './stops.js';

/** A place in a peer's own sequence of writes. */
export interface Boundary {
  label: string;
  /** Which write of this label, counted from 1 from the arming on. */
  nth: number;
  when: When;
}

export interface Armed {
  /** Resolves once it stands there, with its pid; never rejects. */
  readonly stopped: Promise<number>;
  /** Its pid, if it stands there. */
  at(): number | undefined;
  disarm(): void;
}

export interface Boundaries {
  readonly folder: string;
  /** Everything told so far, whole lines only. */
  account(): Told[];
  /** From now on: the process stands still there. */
  arm(boundary: Boundary): Armed;
  /** Resolves with the account since `from` as soon as `enough(it)` holds. */
  told(
    from: number,
    enough: (account: readonly Told[]) => boolean,
    what: string,
    deadlineMs?: number,
  ): Promise<readonly Told[]>;
}

const DEADLINE = 15_000;

/** The folder is made, and given to the instrumented peer as its first argument. */
export function openBoundaries(lab: Pick<Lab, 'onClose'>, folder: string): Boundaries {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ACCOUNT_FILE), '');
  const looks = new Set<() => void>();
  const watcher = watch(folder, () => {
    for (const look of looks) look();
  });
  lab.onClose(`the boundaries in ${folder}`, () => watcher.close());
  let armings = 0;

  const account = (): Told[] =>
    readFileSync(join(folder, ACCOUNT_FILE), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Told);
  const wake = (again: () => void) => {
    looks.add(again);
    return () => void looks.delete(again);
  };

  return {
    folder,
    account,
    arm(boundary) {
      armings += 1;
      const id = armings;
      const file = join(folder, ARM_FILE);
      // Whole or not at all: the peer reads it at any moment.
      writeFileSync(`${file}.new`, JSON.stringify({ id, ...boundary }));
      renameSync(`${file}.new`, file);
      let look = () => {};
      const disarm = () => {
        looks.delete(look);
        rmSync(file, { force: true });
      };
      const at = () => account().find((told) => told.phase === 'stopped' && told.arm === id)?.pid;
      const stopped = new Promise<number>((resolve) => {
        look = () => {
          const pid = at();
          if (pid === undefined) return;
          looks.delete(look);
          resolve(pid);
        };
        looks.add(look);
        look();
      });
      return { stopped, at, disarm };
    },
    told(from, enough, what, deadlineMs = DEADLINE) {
      const look = () => {
        const since = account().slice(from);
        return enough(since) && since;
      };
      return until(look, { ms: deadlineMs, what, everyMs: 25, wake });
    },
  };
}
