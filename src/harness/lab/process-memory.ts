/** The memory of a running process that we may look into, piece by piece (proc(5): /proc/PID/maps and /proc/PID/mem). */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';

/** There is no such memory for us: no /proc, no right to it, or the process is gone. */
export class MemoryUnreadable extends Error {
  override name = 'MemoryUnreadable';
}

const PIECE = 1024 * 1024;
/** A process of ours with more than that is not one that a laboratory started. */
const MOST = 4 * 1024 * 1024 * 1024;
/** Pages of the kernel that are only mapped there; not all of them can be read. */
const KERNEL = /^\[v/;

interface Region {
  from: number;
  to: number;
}

/**
 * Gives everything that the process can read itself, but for the files that it maps to execute them. The last `overlap`
 * bytes of a piece come again at the start of the next, so that nothing is missed where two meet. The piece is only
 * good during the call. The process is not stopped meanwhile.
 * @returns bytes read, each counted once
 */
export async function readMemory(
  pid: number,
  overlap: number,
  visit: (piece: Buffer) => void,
): Promise<number> {
  const own = await ownBytes(pid);
  const regions = regionsOf(await proc(pid, 'maps'));
  const memory = await open(`/proc/${pid}/mem`, 'r').catch(unreadable(pid));
  const piece = Buffer.allocUnsafe(overlap + PIECE);
  let total = 0;
  try {
    for (const region of regions) {
      total += await readRegion(memory, region, piece, overlap, visit);
      if (total > MOST) throw new MemoryUnreadable(`process ${pid} maps more than ${MOST} bytes`);
    }
  } finally {
    await memory.close();
  }
  if (total < own)
    throw new MemoryUnreadable(`of ${own} bytes of process ${pid} only ${total} could be read`);
  return total;
}

async function readRegion(
  memory: FileHandle,
  { from, to }: Region,
  piece: Buffer,
  overlap: number,
  visit: (piece: Buffer) => void,
): Promise<number> {
  let kept = 0;
  for (let at = from; at < to; ) {
    // What the process gave back since we looked is not there any more.
    const { bytesRead } = await memory
      .read(piece, kept, Math.min(PIECE, to - at), at)
      .catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0) return at - from;
    at += bytesRead;
    const filled = kept + bytesRead;
    visit(piece.subarray(0, filled));
    kept = Math.min(overlap, filled);
    piece.copy(piece, 0, filled - kept, filled);
    // Whoever else works in this process has a turn between two pieces.
    await breathe();
  }
  return to - from;
}

function regionsOf(maps: string): Region[] {
  return maps.split('\n').flatMap((line) => {
    const [, from = '', to = '', rights = '', path = ''] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
    const program = path.startsWith('/') && !rights.includes('w') && rights.endsWith('p');
    if (!rights.startsWith('r') || program || KERNEL.test(path)) return [];
    return [{ from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) }];
  });
}

/** Bytes in memory that are no file's. */
async function ownBytes(pid: number): Promise<number> {
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(await proc(pid, 'status'))?.[1];
  if (kilobytes === undefined) throw new MemoryUnreadable(`/proc does not say how large process ${pid} is`);
  return Number(kilobytes) * 1024;
}

function proc(pid: number, what: string): Promise<string> {
  return readFile(`/proc/${pid}/${what}`, 'latin1').catch(unreadable(pid));
}

function unreadable(pid: number): (error: Error) => never {
  return ({ message }) => {
    throw new MemoryUnreadable(`the memory of process ${pid} cannot be read: ${message}`);
  };
}
