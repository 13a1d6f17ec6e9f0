/**
 * The TLS secrets of the laboratory's own connections, as their clients log them (NSS key log format, RFC 9850): with
 * them a tap still sees frames where TLS is on. A subject writes them to a file because the harness asks it to.
 */
import { readFileSync } from 'node:fs';

export type TrafficSide = 'client' | 'server';

const LABELS: Record<string, TrafficSide> = {
  CLIENT_TRAFFIC_SECRET_0: 'client',
  SERVER_TRAFFIC_SECRET_0: 'server',
};
/** A run makes some thousands of connections; what is older than this many is over. */
const MAX_KEPT = 20_000;

export class KeyLog {
  readonly #secrets = new Map<string, Buffer>();
  readonly #files = new Map<string, number>();

  /** One or more whole lines. */
  add(lines: string): void {
    for (const line of lines.split('\n')) {
      const [label = '', random = '', secret = ''] = line.trim().split(' ');
      const side = LABELS[label];
      if (side === undefined) continue;
      this.#secrets.set(`${side} ${random}`, Buffer.from(secret, 'hex'));
      const oldest = this.#secrets.keys().next().value;
      if (this.#secrets.size > MAX_KEPT && oldest !== undefined) this.#secrets.delete(oldest);
    }
  }

  /** A file that a subject appends to; it is looked at when a secret is wanted that is not known yet. */
  watch(path: string): void {
    this.#files.set(path, 0);
  }

  /** The application traffic secret of one side; `random` is the ClientHello's, in hex. */
  secret(side: TrafficSide, random: string): Buffer | undefined {
    const known = this.#secrets.get(`${side} ${random}`);
    if (known !== undefined) return known;
    for (const [path, taken] of this.#files) {
      const text = readNew(path, taken);
      // A line that is still being written is taken the next time.
      const whole = text.lastIndexOf('\n') + 1;
      this.#files.set(path, taken + whole);
      this.add(text.slice(0, whole));
    }
    return this.#secrets.get(`${side} ${random}`);
  }

  forget(path: string): void {
    this.#files.delete(path);
  }
}

function readNew(path: string, from: number): string {
  try {
    return readFileSync(path, 'latin1').slice(from);
  } catch {
    // The subject has not begun to write.
    return '';
  }
}

/** Of this process: the probes add to it, the taps read it. */
export const keyLog = new KeyLog();
