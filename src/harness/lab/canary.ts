/** An echo peer in a process of its own: when its answers are late the host is, and no deadline proves anything. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { within } from './deadline.js';
import type { Canary } from './ports.js';

const EVERY_MS = 200;
const KEPT = 10_000;
const START_MS = 15_000;
const ECHO = `require('node:net').createServer((s) => { s.on('error', () => {}); s.setNoDelay(true).pipe(s); })
.listen(0, '127.0.0.1', function () { console.log(this.address().port); });
process.stdin.resume().on('end', () => process.exit());`;

export async function startCanary(): Promise<Canary> {
  // Ends with us, however we end: its stdin closes.
  const child = spawn(process.execPath, ['-e', ECHO], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const [line] = await within(lines, START_MS, 'the canary to start').catch((error: Error) => {
    child.kill('SIGKILL');
    throw error;
  });
  const socket = createConnection(Number(line), '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  const echoes: { at: number; ms: number }[] = [];
  let sent: number | undefined;
  socket.on('data', () => {
    if (sent === undefined) return;
    const at = performance.now();
    echoes.push({ at, ms: at - sent });
    if (echoes.length > KEPT) echoes.shift();
    sent = undefined;
  });
  socket.on('error', () => undefined);
  let due = performance.now();
  const timer = setInterval(() => {
    // From when it was due: a process of ours that was blocked is as late as a slow host.
    if (sent === undefined) {
      sent = Math.min(performance.now(), due);
      socket.write('x');
    }
    due = performance.now() + EVERY_MS;
  }, EVERY_MS);

  const worstSince = (since: number) => {
    const underway = sent === undefined ? 0 : performance.now() - sent;
    return Math.max(underway, ...echoes.filter(({ at }) => at >= since).map(({ ms }) => ms), 0);
  };
  return {
    worstSince,
    // A tenth of the deadline lost in one echo means that much more was lost in a case of many steps.
    late: (since, deadlineMs) => worstSince(since) > Math.max(1000, deadlineMs / 10),
    async close() {
      clearInterval(timer);
      socket.destroy();
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
