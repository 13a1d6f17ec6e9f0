/** What a benchmark leaves behind when it ends, however it ends: nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const undoing = new Set<() => void>();
let watching = false;

/** `undo` runs when the process ends, unless what is returned was called before. It must not wait for anything. */
export function atEnd(undo: () => void): () => void {
  if (!watching) process.once('exit', undoAll);
  watching = true;
  undoing.add(undo);
  return () => void undoing.delete(undo);
}

function undoAll(): void {
  // The latest first: processes are started after the folder that they write in.
  for (const undo of [...undoing].reverse()) undo();
}

/** Makes an interruption an end like any other. */
export function endWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

export interface Scratch {
  folder: string;
  remove(): void;
}

/** A new folder in the system's temporary one. */
export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'oab-bench-'));
  // A process that was killed just now may still have written a file in between.
  const erase = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  const done = atEnd(erase);
  return {
    folder,
    remove() {
      done();
      erase();
    },
  };
}
