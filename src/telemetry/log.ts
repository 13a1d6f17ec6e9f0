/** The process log: one JSON line per entry on stderr, redacted in one place. */
import { pino } from 'pino';
import { redact } from './redact.js';

export interface Log {
  debug(entry: Record<string, unknown>, message: string): void;
  info(entry: Record<string, unknown>, message: string): void;
  warn(entry: Record<string, unknown>, message: string): void;
  error(entry: Record<string, unknown>, message: string): void;
}

/** stdout belongs to the ready line and to results, so everything here goes to stderr. */
export function createLog(name: string, level = 'info'): Log {
  const stream = { write: (line: string) => process.stderr.write(redact(line)) };
  return pino({ name, level, base: { name, pid: process.pid } }, stream);
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
