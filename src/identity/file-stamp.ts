/** What tells one state of a file from the next: a replaced file differs even within one tick of the clock. */
import { statSync } from 'node:fs';

export function fileStamp(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}
