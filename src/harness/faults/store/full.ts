/** The kernel takes no byte more from the process: its journal's log may not grow, as on a full disk or at a quota. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import type { StoreFaultKind } from './store-fault.js';

/** Of the log: its header, and what stands before the page of each frame (SQLite's file format, section 4.1). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Of the index beside it, in the byte order of the machine (SQLite's "WAL-mode File Format", section 2.1). */
const INDEX = { bytes: 20, pageSize: 14, lastFrame: 16 };

export const full: StoreFaultKind = {
  name: 'full',
  description:
    'the kernel refuses to let the journal’s log grow (prlimit --fsize of the running process: EFBIG, which SQLite meets in mid-commit as on a full disk)',
  create({ file, pid }) {
    let limited: { pid: number; bytes: number } | undefined;
    const limit = (to: string, process: number) =>
      // The soft limit alone: whoever has set it can take it back without a privilege.
      execFileSync('prlimit', ['--pid', String(process), `--fsize=${to}:`], { stdio: 'pipe' });
    return {
      async arm() {
        limited = { pid: pid(), bytes: nextFrameAt(file) };
        limit(String(limited.bytes), limited.pid);
      },
      async verify() {
        try {
          // Before the limit there would be room: where the log was begun anew.
          return (
            limited !== undefined &&
            softLimit(limited.pid) === String(limited.bytes) &&
            nextFrameAt(file) >= limited.bytes
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

/**
 * Where the next commit is written. The log's own size says nothing of it: it may hold frames that were given up.
 * Nobody of this process has the database open then, whose locks the close of the index would end.
 */
function nextFrameAt(file: string): number {
  const index = openSync(`${file}-shm`, 'r');
  try {
    const header = Buffer.alloc(INDEX.bytes);
    readSync(index, header, 0, INDEX.bytes, 0);
    const little = endianness() === 'LE';
    const size = little ? header.readUInt16LE(INDEX.pageSize) : header.readUInt16BE(INDEX.pageSize);
    const frames = little ? header.readUInt32LE(INDEX.lastFrame) : header.readUInt32BE(INDEX.lastFrame);
    return LOG_HEADER + frames * (FRAME_HEADER + (size === 1 ? 65_536 : size));
  } finally {
    closeSync(index);
  }
}
