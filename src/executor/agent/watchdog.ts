/**
 * A shell that holds one end of a pipe to this process and kills the agent's group when the other end closes, however
 * this process ends (OPEN-49: a SIGKILLed wrapper leaves its agent running).
 */
import { spawn } from 'node:child_process';

const SCRIPT = 'IFS= read -r line || kill -KILL "-$1"';

/** The result releases the watchdog, once the group is gone anyway. */
export function watch(pgid: number): () => void {
  const dog = spawn('/bin/sh', ['-c', SCRIPT, 'oab-watchdog', String(pgid)], {
    detached: true,
    env: {},
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no watchdog; the journalled group still lets the next start end the orphan.
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  dog.unref();
  return () => dog.stdin.end('done\n');
}
