/** Whoever is told to end while a run goes on leaves nothing behind: no process that it started, no folder that it made. */
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

const children = new Map<ChildProcess, NodeJS.Signals>();
const folders = new Set<string>();
let watching = false;

/** Until it has ended by itself, this process ends with ours: by SIGKILL, or by a signal on which it clears up itself. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  watch();
  children.set(child, signal);
  child.once('exit', () => children.delete(child));
}

/** Until the returned function is called, this folder is removed when we end. */
export function removeWithUs(folder: string): () => void {
  watch();
  folders.add(folder);
  return () => void folders.delete(folder);
}

function watch(): void {
  if (watching) return;
  watching = true;
  process.on('exit', clearUp);
  for (const [name, number] of Object.entries(NUMBERS))
    process.once(name, () => {
      // On exit, as after every other end.
      process.exit(128 + number);
    });
}

function clearUp(): void {
  for (const [child, signal] of children) child.kill(signal);
  // A process that was killed just now may still have written a file in between.
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}
