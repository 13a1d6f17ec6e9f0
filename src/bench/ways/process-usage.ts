/** What the kernel counts of any process (proc(5)). */
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second here, whatever the kernel's own clock is. */
const TICK_US = 10_000;
const PAGE_BYTES = 4096;

/** µs of CPU since it began. */
export function cpuOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; user and system time are the 14th and 15th field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** Bytes of memory that it holds: also what no collector of garbage knows of, such as the state of a TLS connection. */
export function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
}
