/** The kernel takes no byte more from the process: its journal's log may not grow, as on a full disk or at a quota. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { StoreFaultKind } from './store-fault.js';

/** Magic, version, page size, salts: another one after the log was begun anew, and then there is room below the limit. */
const LOG_HEADER = 32;

export const full: StoreFaultKind = {
  name: 'full',
  description:
    'the kernel refuses to let the journal’s log grow (prlimit --fsize of the running process: EFBIG, which SQLite meets in mid-commit as on a full disk)',
  create({ file, pid }) {
    const log = `${file}-wal`;
    let limited: { pid: number; size: number; header: string } | undefined;
    const limit = (to: string, process: number) =>
      // The soft limit alone: whoever has set it can take it back without a privilege.
      execFileSync('prlimit', ['--pid', String(process), `--fsize=${to}:`], { stdio: 'pipe' });
    return {
      async arm() {
        const { size } = statSync(log);
        limited = { pid: pid(), size, header: headerOf(log) };
        limit(String(size), limited.pid);
      },
      async verify() {
        try {
          if (limited === undefined) return false;
          const { size } = statSync(log);
          return (
            softLimit(limited.pid) === String(limited.size) &&
            size === limited.size &&
            headerOf(log) === limited.header
          );
        } catch {
          // Without the process or its log there is nothing that could be full.
          return false;
        }
      },
      async clear() {
        if (limited !== undefined) limit('unlimited', limited.pid);
      },
      async gone() {
        try {
          return limited !== undefined && softLimit(limited.pid) === 'unlimited';
        } catch {
          // The process is gone, and with it every limit; but so is what should go on working.
          return false;
        }
      },
    };
  },
};

function softLimit(pid: number): string | undefined {
  return /^Max file size\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
}

function headerOf(log: string): string {
  const file = openSync(log, 'r');
  try {
    const header = Buffer.alloc(LOG_HEADER);
    readSync(file, header, 0, LOG_HEADER, 0);
    return header.toString('hex');
  } finally {
    closeSync(file);
  }
}
