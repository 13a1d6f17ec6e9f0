/** A Toxiproxy server of our own, on a free port of the loopback interface. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Undetermined } from '../../check.js';
import { DeadlinePassed, until } from '../../lab/deadline.js';
import { freePort } from '../../lab/free-port.js';
import type { Injector } from '../injector.js';
import { injectorAt } from './toxiproxy.js';

const START_MS = 10_000;
const ATTEMPTS = 5;

/**
 * The server takes no port 0, and goes on running when its port is taken. So a free port is asked for, and the server
 * is known by a disabled proxy with a name of its own: another's server on that port is never taken for ours.
 */
export async function startToxiproxy(binary: string): Promise<Injector> {
  const folder = mkdtempSync(join(tmpdir(), 'oab-toxiproxy-'));
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const mark = `oab-mark-${randomBytes(8).toString('hex')}`;
      const config = join(folder, 'proxies.json');
      writeFileSync(
        config,
        JSON.stringify([{ name: mark, listen: '127.0.0.1:0', upstream: '127.0.0.1:1', enabled: false }]),
      );
      const port = await freePort();
      const server = spawn(binary, ['-host', '127.0.0.1', '-port', String(port), '-config', config], {
        stdio: 'ignore',
        env: { LOG_LEVEL: 'fatal' },
      });
      const url = `http://127.0.0.1:${port}`;
      if (!(await isUp(server, url, mark))) {
        server.kill('SIGKILL');
        continue;
      }
      const injector = await injectorAt('toxiproxy', url, stopper(server));
      return { ...injector, version: builtFrom(binary) ?? injector.version };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  throw new Undetermined(`${binary} does not start: it was tried on ${ATTEMPTS} free ports`);
}

async function isUp(server: ChildProcess, url: string, mark: string): Promise<boolean> {
  let ended = false;
  for (const event of ['exit', 'error']) {
    server.once(event, () => {
      ended = true;
    });
  }
  try {
    return await until(async () => (ended ? 'ended' : await owner(url, mark)), {
      ms: START_MS,
      everyMs: 10,
      what: 'Toxiproxy to answer',
    }).then((found) => found === 'ours');
  } catch (error) {
    if (error instanceof DeadlinePassed) return false;
    throw error;
  }
}

async function owner(url: string, mark: string): Promise<'ours' | 'foreign' | undefined> {
  try {
    const answer = await fetch(`${url}/proxies`, { signal: AbortSignal.timeout(2000) });
    return (await answer.text()).includes(mark) ? 'ours' : 'foreign';
  } catch {
    // Nobody listens there yet.
    return undefined;
  }
}

function stopper(server: ChildProcess): () => Promise<void> {
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  return async () => {
    process.off('exit', kill);
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    // It holds nothing that would have to be saved, and takes its time over a polite end.
    kill();
    await ended;
  };
}

/** A server that is built from the module calls itself "git"; its set-up wrote down which version it is. */
function builtFrom(binary: string): string | undefined {
  try {
    return readFileSync(join(dirname(binary), '.toxiproxy-server.version'), 'utf8').split(' ')[0];
  } catch {
    // Installed by somebody else: what it says of itself has to do.
    return undefined;
  }
}
